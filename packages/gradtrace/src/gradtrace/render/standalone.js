// The line that runs, and the boxes that it is about, stay in sight while the reader steps.
{
const pre = document.querySelector(".highlight pre"), graph = document.querySelector(".graph")
const show = (part, box) => {
  const is = part.getBoundingClientRect(), to = box.getBoundingClientRect(), over = 8
  if (is.top < to.top + over || is.bottom > to.bottom - over) box.scrollTop += (is.top + is.bottom - to.top - to.bottom) / 2
  if (box == graph && (is.left < to.left || is.right > to.right)) box.scrollLeft += (is.left + is.right - to.left - to.right) / 2
}
new MutationObserver(() => {
  const mark = pre.querySelector(".trace-line"), on = [...graph.querySelectorAll("g.on > .box")].pop()
  if (mark) show(mark, pre)
  if (on) show(on, graph)
}).observe(pre, { childList: true })
}
