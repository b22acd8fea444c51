// The worker of the search, in place of Material's: it loads the program that searches and its index with the first
// question. Material sends and expects messages of these types.

const READY = 1, QUERY = 2, RESULT = 3
const PATIENCE = 1000 // ms: half a word may have no answer, so that nothing was found is said when a reader stops typing

let latest = 0, loading

async function load() {
  const web = location.protocol.startsWith("http") // a page that is opened from the file system can fetch nothing
  const index = web
    ? fetch("../../../search/search_index.json").then(response => response.json())
    : Promise.resolve(importScripts("../../../search/search_index.js")).then(() => __index)
  await importScripts("search.js")
  return new Search(await index)
}

addEventListener("message", async ({ data: { type, data: typed } }) => {
  if (type !== QUERY) return
  const number = ++latest
  let items = []
  if (typed.trim()) {
    loading ??= load().catch(error => { loading = undefined; throw error })
    const search = await loading
    if (number !== latest) return
    items = search.answer(typed)
    if (!items) return // no word: nothing is asked
    if (!items.length) await new Promise(done => setTimeout(done, PATIENCE))
  }
  if (number === latest) postMessage({ type: RESULT, data: { items } })
})

postMessage({ type: READY })
