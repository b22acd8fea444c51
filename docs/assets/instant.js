// The other edition, and what instant navigation leaves undone.
{
const { lang } = document.documentElement, other = lang == "zh" ? "en" : "zh"
const asked = navigator.languages.map(tag => tag.slice(0, 2)).find(tag => tag == "zh" || tag == "en")
const [words, no] = { zh: ["这一页有中文版", "不用了"], en: ["Read this page in English", "No, thanks"] }[other]

// A reader who has chosen is not asked again; where nothing can be stored, not again in this tab.
const kept = choice => {
  try {
    if (choice) localStorage.gradientsLanguage = choice
    return localStorage.gradientsLanguage
  } catch {}
}
const leads = link => {
  link.target = "_self"
  link.onclick = () => { kept(other); link.hash = location.hash }
  return link
}
const links = [leads(document.querySelector(".language"))]

// A figure with its code takes the room of the table of contents too; numbers to change, that of the way back to the top.
const covering = () => {
  const figures = [...document.querySelectorAll(".traced, trace-vary")].map(figure => figure.getBoundingClientRect())
  for (const over of document.querySelectorAll(".md-sidebar--secondary .md-nav, .md-top")) {
    const { left, top, bottom } = over.getBoundingClientRect()
    const covers = figures.some(box => box.right > left && box.top < bottom && box.bottom > top)
    over.classList.toggle("covered", covers)
  }
}
addEventListener("scroll", covering, { passive: true })
addEventListener("resize", covering)

// A formula is one link; a number in it that another line proves has an address of its own.
document.addEventListener("click", e => {
  const to = e.target.closest?.("a.run [data-to]")?.dataset.to
  if (!to || e.ctrlKey || e.metaKey || e.shiftKey) return
  e.preventDefault()
  e.stopPropagation()
  location.assign(to)
}, true)

// The search of the theme listens to keys, and there is none when a reader pastes from a menu, dictates, drops a text or
// clears the field. A composition (of Chinese, say) ends without another input in some browsers.
const field = document.querySelector(".md-search__input")
const entered = () => field.dispatchEvent(new Event("keyup"))
for (const event of ["input", "compositionend"]) field.addEventListener(event, entered)
field.form.addEventListener("reset", () => setTimeout(entered))

// The theme calls the copy button of each block of code a navigation, and gives lists of pages a name without words.
const named = () => {
  for (const nav of document.querySelectorAll("nav.md-code__nav:not([role])")) nav.role = "none"
  for (const nav of document.querySelectorAll("nav[aria-labelledby^=__nav]")) {
    nav.ariaLabel = nav.querySelector(".md-nav__title").textContent.trim()
    nav.removeAttribute("aria-labelledby")
  }
}
named()
new MutationObserver(named).observe(document.body, { childList: true, subtree: true })

// What a reader copies is the script, whatever the page shows of it: notes with their "# ", lines that are folded.
const script = part => {
  for (const label of part.querySelectorAll(".fold")) label.remove()
  return part.textContent
}
document.addEventListener("click", e => {
  const { dataset } = e.target.closest?.("[data-clipboard-target]") ?? {}
  if (dataset) dataset.clipboardText = script(document.querySelector(dataset.clipboardTarget).cloneNode(true))
}, true)
document.addEventListener("copy", e => {
  const selection = getSelection(), range = !selection.isCollapsed && selection.getRangeAt(0)
  const { commonAncestorContainer: around } = range || {}, element = around?.closest ? around : around?.parentElement
  if (!element?.closest("pre > code") || e.target.matches?.("input, textarea")) return
  e.clipboardData.setData("text/plain", script(range.cloneContents()))
  e.preventDefault()
})

let settled = asked != other || kept()

// Only the pages of the gradient detective need the script of its stars.
const stars = document.createElement("script")
stars.src = new URL("detective.js", document.currentScript.src)

document$.subscribe(() => {
  if (!stars.isConnected && document.querySelector("details.clue")) document.head.append(stars)
  const address = document.querySelector(`head link[rel~="alternate"][hreflang="${other}"]`)?.href
  if (!address) return
  if (!settled) {
    const offer = document.createElement("aside"), close = document.createElement("button")
    const link = leads(document.createElement("a"))
    offer.className = "offer"
    offer.lang = link.hreflang = other
    offer.ariaLabel = { zh: "语言", en: "Language" }[other]
    link.textContent = words
    close.textContent = no
    close.onclick = () => { kept(lang); offer.remove() }
    offer.append(link, close)
    document.querySelector(".md-header").after(offer)
    links.push(link)
  }
  settled = true
  // The header stays: its link takes its address from the head, which does not.
  for (const link of links) link.href = address
  covering()
  // Instant navigation fetches a page again when a link within it is followed: what was lit would go out.
  if (location.hash && !document.querySelector(":target")) {
    const { scrollX: x, scrollY: y } = window
    location.replace(location.hash)
    window.scrollTo(x, y)
  }
})
}
