// The line that runs stays in sight while the reader steps.
{
const pre = document.querySelector(".highlight pre")
new MutationObserver(() => {
  const mark = pre.querySelector(".trace-line")
  if (!mark) return
  const top = mark.offsetTop, room = pre.clientHeight - 2 * mark.offsetHeight
  if (top < pre.scrollTop + mark.offsetHeight || top > pre.scrollTop + room) pre.scrollTop = top - pre.clientHeight / 2
}).observe(pre, { childList: true })
}
