// Instant navigation replaces the head of the page but not the header: the language switch takes its links from there.
document$.subscribe(() => {
  for (const link of document.querySelectorAll('head link[rel~="alternate"][hreflang]')) {
    const item = document.querySelector(`.md-select__link[hreflang="${link.hreflang}"]`)
    if (item) item.href = link.href
  }
})
