// What instant navigation leaves undone.
document$.subscribe(() => {
  // It replaces the head of the page but not the header: the language switch takes its links from there.
  for (const link of document.querySelectorAll('head link[rel~="alternate"][hreflang]')) {
    const item = document.querySelector(`.md-select__link[hreflang="${link.hreflang}"]`)
    if (item) item.href = link.href
  }
  // It fetches a page again when a link within it is followed: what was lit would go out.
  if (location.hash && !document.querySelector(":target")) {
    const { scrollX: x, scrollY: y } = window
    location.replace(location.hash)
    window.scrollTo(x, y)
  }
})
