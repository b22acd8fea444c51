// Finds the message of the book that a reader has pasted, with its traceback, in the browser alone: nothing is sent.
// And the filter of the list of messages.
{
// Where an exception or a warning begins: "RuntimeError: ...", "file.py:3: UserWarning: ...", "[W reducer.cpp:1] Warning: ..."
const START = /^(?:.*:\d+[:\]] ?)?(?:\w+\.)*\w*(?:Error|Exception|Warning|Unsupported|Exit|Interrupt)(?=:|\s*$):? ?/
const FRAME = /^(?:Traceback|During handling|The above exception|  File ")/
const PREFIX = /^(?:\[rank\d+\]:|E  |\(\w+ pid=[^)]*\)|> ) ?/ // of a rank, of pytest, of a worker

// What was raised or warned of, the last first, each without its name; all of the text where nothing is named.
const raised = pasted => {
  const found = []
  let said
  for (const whole of pasted.split(/\r?\n/)) {
    const line = whole.replace(PREFIX, ""), start = line.match(START)?.[0]
    if (start !== undefined) found.unshift(said = [line.slice(start.length)])
    else if (FRAME.test(line)) said = undefined
    else said?.push(line)
  }
  const texts = found.map(lines => lines.join("\n")).filter(text => text.trim())
  return texts.length ? texts : [pasted]
}

// Texts in which numbers and shapes are holes; and names, dtypes and nodes of the graph as well. What Python says of any
// object keeps the name of what is missing.
const numbers = text => text.toLowerCase().replace(/[‘’]/g, "'").replace(/[[(][\d\s,.-]*\d[\d\s,.-]*[\])]|0x[\da-f]+/g, "#")
  .replace(/-?\b\d[\d.]*(?:e[-+]?\d+)?/g, "#").replace(/\s+/g, " ").trim()
const names = text => numbers(text)
  .replace(/(?<!no attribute |argument:? )(?<!\w)'(?!nonetype)[^'\n]{1,60}'(?!\w)/g, "#")
  .replace(/\b(?:(?:c10|at)::|torch\.)?(?:complex|b?float|u?int|q?u?int)?(?:16|32|64|128|8|double|float|half|long|bool)(?:tensor)?\b/g, "#")
  .replace(/\b\w+backward\d*\b/g, "#")

const longest = (messages, said, wordings) => {
  let best, most = 11 // so few letters tell nothing
  for (const message of messages)
    for (const wording of wordings(message))
      if (wording.length > most && said.includes(wording)) [best, most] = [message, wording.length]
  return best
}
const found = (messages, text) => {
  for (const holes of [numbers, names])
    for (const wordings of [({ text }) => [holes(text)], ({ also }) => also.map(holes)]) {
      const message = longest(messages, holes(text), wordings)
      if (message) return message
    }
  const part = numbers(text) // a part of a message
  if (part.split(" ").length > 3) return messages.find(({ text, also }) => [text, ...also].some(each => numbers(each).includes(part)))
}

const RESEMBLES = 0.6 // the score from which the search's result is worth showing: below it, messages share only common words
const escaped = text => text.replace(/[&<>]/g, sign => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;" })[sign])
const nearest = ({ Search, messages }, text) => {
  const docs = messages.map(({ to, text, also }) =>
    ({ location: to, title: escaped(text), text: "", asked: also.map(escaped).join(" ¶ ") }))
  const separator = "[\\s!-,./:-@\\[-^`{-~]+"
  const answers = new Search({ config: { separator, pipeline: ["stemmer"] }, docs }).answer(text) ?? []
  return answers.slice(0, 3).filter(([{ score }]) => score >= RESEMBLES)
    .map(([{ location }]) => messages.find(({ to }) => to === location))
}

// The message, if there is one; otherwise those that resemble it most.
const answer = (book, pasted) => {
  const texts = raised(pasted)
  for (const text of texts) {
    const message = found(book.messages, text)
    if (message) return { message }
  }
  return { near: nearest(book, texts[0]), said: texts[0].trim().split("\n")[0] }
}

let loading
const load = address => loading ??= new Promise((done, failed) => {
  const script = document.createElement("script")
  Object.assign(script, { src: address, onload: () => done(messagesOfBook), onerror: () => failed(loading = undefined) })
  document.head.append(script)
})

const element = (tag, properties, ...inside) => {
  const made = Object.assign(document.createElement(tag), properties)
  made.append(...inside)
  return made
}

globalThis.customElements?.get("paste-error") || globalThis.customElements?.define("paste-error", class extends HTMLElement {
  connectedCallback() {
    const form = this.querySelector("form"), field = form.elements[0]
    form.onsubmit = e => { e.preventDefault(); this.ask(field.value) }
    field.onpaste = () => setTimeout(() => this.ask(field.value))
    field.onkeydown = e => { if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) form.requestSubmit() }
  }

  async ask(pasted) {
    const { data, page, none, nothing, search, more, failed } = this.dataset, shown = this.querySelector("[role=status]")
    if (!pasted.trim()) return shown.replaceChildren()
    const base = new URL(page, location)
    const link = ({ to, text }) => element("a", { href: new URL(to, base) }, element("code", {}, text))
    try {
      const { message, near, said } = answer(await load(data), pasted)
      if (message) {
        const body = element("div", { innerHTML: message.html })
        for (const a of body.querySelectorAll("a[href]:not([href^='#'])")) a.href = new URL(a.getAttribute("href"), base)
        const on = link(message)
        on.textContent = more
        shown.replaceChildren(element("p", { className: "message" }, link(message)), body, element("p", {}, on))
      } else {
        const query = element("a", { href: "?q=" + encodeURIComponent(said.slice(0, 200)) }, search)
        const list = element("ul", {}, ...near.map(each => element("li", {}, link(each))))
        shown.replaceChildren(element("p", {}, near.length ? none : nothing), list, element("p", {}, query))
      }
    } catch { shown.textContent = failed }
  }
})

globalThis.customElements?.get("message-filter") || globalThis.customElements?.define("message-filter", class extends HTMLElement {
  connectedCallback() {
    const field = this.querySelector("input"), count = this.querySelector("[role=status]")
    const all = [...this.parentElement.querySelectorAll(".message-entry")].map(entry => [entry, numbers(entry.textContent)])
    field.oninput = () => {
      const words = numbers(field.value).split(" ")
      for (const [entry, text] of all) entry.hidden = !words.every(word => text.includes(word))
      for (const group of this.parentElement.querySelectorAll("h2")) {
        let entry = group.nextElementSibling
        while (entry && entry.tagName !== "H2" && !(entry.matches(".message-entry") && !entry.hidden)) entry = entry.nextElementSibling
        group.hidden = !entry?.matches(".message-entry")
      }
      count.textContent = field.value.trim() ? `${all.filter(([entry]) => !entry.hidden).length} / ${all.length}` : ""
    }
  }
})
}
