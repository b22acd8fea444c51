// Makes parts of the page.
const { make: element } = customElements.get("trace-player")

const button = (label, face, onclick) =>
  element("button", { type: "button", title: label, ariaLabel: label, innerHTML: face, onclick })

const icon = path => `<svg viewBox="0 0 24 24" aria-hidden="true"><path d="${path}"/></svg>`

const option = ([value, text]) => element("option", { value, textContent: text })

const choice = (label, options) => element("select", { ariaLabel: label, title: label }, ...options.map(option))

// What the page holds of a recording, unpacked: each part has its steps, and a picture of each group of boxes.
const unpack = async text => {
  const bytes = Uint8Array.from(atob(text), c => c.charCodeAt(0))
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"))).json()
}

// Texts of which many are alike but for their numbers, which are in columns; each is made when it is asked for.
const texts = ([templates, which, columns]) => {
  const numbers = columns.map(own => own.map(column => column.split(" "))), used = templates.map(() => 0)
  return which.map(kind => {
    const row = used[kind]++
    return () => { let place = 0; return templates[kind].replace(/\x7f/g, () => numbers[kind][place++][row]) }
  })
}

// Gives keys their numbers, which are counted from the one before.
const absolute = () => {
  const last = {}
  return text => text.replace(/([a-z]+)(-?\d+)/g, (_, kind, step) => kind + (last[kind] = (last[kind] ?? 0) + +step))
}

// What is packed of a part: returns it for a run, of which there is one for each choice of numbers.
const partOfRuns = ({ sentences, views, runs, shared }) => {
  const told = texts(sentences), pictures = texts(views), made = []
  const make = run => {
    const [from, first, others] = runs[run]
    const data = Object.fromEntries(Object.entries(others).map(([name, n]) => [name, shared[n]]))
    const of = (all, at, { length }) => all.slice(at, at + length)
    return new Part({ ...data, sentences: of(told, from, data.steps[0]), views: of(pictures, first, data.members) })
  }
  return run => made[run] ??= make(run)
}

class Part {
  constructor(data) {
    Object.assign(this, { words: data.words.split("|"), caption: data.caption, summary: data.summary })
    ;[this.firstView, this.failing] = data.start
    const linked = absolute(), inside = absolute(), pictures = data.views
    const edges = data.ends.map(row => row.split(" ").map(linked))
    this.ends = Object.fromEntries(edges.map(([key, ...ends]) => [key, ends]))
    const groups = data.members.map(row => inside(row).split(" "))
    this.pictures = Object.fromEntries(groups.map(([group], i) => [group, pictures[i]]))
    this.up = {}
    this.names = {}
    let box = 0
    groups.forEach(([group, ...members], i) => {
      this.names[group] = data.groups[i]
      for (const member of members) {
        this.up[member] = group
        if (!this.isGroup(member)) this.names[member] = data.boxes[box++]
      }
    })
    this.steps = this.stepsOf(data.sentences, data.steps)
  }

  // The texts that a step changes, each after the key of its slot, come before its sentence.
  stepsOf(sentences, [lines, files, touches, back, passes]) {
    const touched = absolute(), changed = absolute()
    return sentences.map((text, i) => {
      const [slots, html] = text().split("\x1e"), changes = slots ? slots.split("\x1f") : []
      return {
        get item() { return element("li", { innerHTML: html }) }, // thousands take too long at once
        id: `#step-${i + 1}`, line: lines[i], file: files[i], up: back[i], pass: passes[i],
        touches: touches[i] ? touches[i].split(" ").map(touched) : [],
        changes: Object.fromEntries(changes.map(slot => {
          const [key] = slot.split(" ", 1)
          return [changed(key), slot.slice(key.length + 1)]
        })),
      }
    })
  }

  isGroup(key) {
    return key in this.pictures
  }

  picture(group) {
    return this.pictures[group]().replace(/(?<=data-k=")[^"]+/g, absolute())
  }

  // The groups that hold something, itself first.
  around(key) {
    const found = []
    for (let at = key; at; at = this.up[at]) found.push(at)
    return found
  }

  // The names of these, from the outside in, without the outermost.
  path(key) {
    return this.around(key).slice(0, -1).reverse().map(one => this.names[one][0])
  }

  // The boxes that a step is about, without edges.
  boxes(step) {
    return step.touches.filter(key => this.up[key])
  }
}

// The files of the script, one of which is seen.
class CodePane {
  constructor(pane, label) {
    this.files = [...pane.querySelectorAll("pre")]
    if (this.files.length > 1) {
      this.select = choice(label, this.files.map(({ dataset }) => [dataset.file, dataset.file]))
      this.select.onchange = () => this.turn(this.file(this.select.value))
      pane.prepend(this.select)
    }
    this.turn(this.files[0])
  }

  // The script itself has no name in the steps.
  file(name) {
    return name ? this.files.find(one => one.dataset.file == name) : this.files[0]
  }

  turn(shown) {
    for (const file of this.files) file.hidden = file != shown
    if (this.select) this.select.value = shown.dataset.file
  }

  // The code of a file, which is turned to.
  code(name) {
    const file = this.file(name)
    if (file) this.turn(file)
    return file?.querySelector("code")
  }

  // A block may stand far down in a long file: the pane opens where the first step is.
  begin(steps) {
    const { line, file } = steps.find(step => step.line && !step.file) ?? steps.find(step => step.line) ?? {}
    const row = line && this.code(file)?.querySelectorAll(".code-line")[line - 1]
    if (!row) return
    const pre = row.closest("pre"), { offsetTop: top, offsetHeight: height } = row
    if (top + height > pre.clientHeight) pre.scrollTop = top - 3 * height
  }
}

// The picture in its box: how large it is drawn, and what of it is in sight.
const ZOOMS = [0.5, 0.67, 0.8, 1, 1.25, 1.5, 2, 3], READABLE = 0.7, MARGIN = 8

// Scrolls a box so that a part of it is in its middle; one that is too high, so that its first lines are seen.
const toMiddle = (part, box) => {
  const is = part.getBoundingClientRect(), to = box.getBoundingClientRect()
  const down = is.height > to.height ? is.top - to.top - MARGIN : (is.top + is.bottom - to.top - to.bottom) / 2
  box.scrollBy((is.left + is.right - to.left - to.right) / 2, down)
}

const inSight = (part, box) => {
  const is = part.getBoundingClientRect(), to = box.getBoundingClientRect()
  const across = is.left >= to.left + MARGIN && is.right <= to.right - MARGIN
  return across && is.top >= to.top + MARGIN && is.bottom <= to.bottom - MARGIN
}

class Zoom {
  constructor(box, signal) {
    this.box = box
    this.zoom = 1
    this.fits = true
    const on = (type, run, options) => box.addEventListener(type, run, { signal, ...options })
    on("wheel", e => { if (e.ctrlKey) { e.preventDefault(); this.step(-e.deltaY) } }, { passive: false })
    let apart = 0
    const distance = ([a, b]) => Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY)
    on("touchstart", e => { apart = e.touches.length == 2 ? distance(e.touches) / this.zoom : 0 })
    on("touchmove", e => {
      if (!apart || e.touches.length != 2) return
      e.preventDefault()
      this.to(Math.max(ZOOMS[0], Math.min(ZOOMS.at(-1), distance(e.touches) / apart)))
    }, { passive: false })
    addEventListener("resize", () => this.fits && this.fit(), { signal })
  }

  // Another picture: as large as a reader has chosen, else so that it fits.
  take() {
    this.svg = this.box.querySelector("svg")
    this.fits ? this.fit() : this.scale(this.zoom)
    this.box.scrollTo(0, 0)
    const main = (this.svg.querySelector(".group .box") ?? this.svg).getBoundingClientRect(), to = this.box.getBoundingClientRect()
    this.box.scrollLeft = (main.left + main.right - to.left - to.right) / 2
    this.fresh = true
  }

  // All of it, if it can be read then; else as wide as the box, if that can be read.
  fit() {
    const { width, height } = this.svg.viewBox.baseVal, { clientWidth, clientHeight } = this.box
    const wide = (clientWidth - MARGIN) / width, all = Math.min(wide, (clientHeight - MARGIN) / height)
    this.fits = true
    this.scale(Math.min(1, all < READABLE ? Math.max(READABLE, wide) : all))
  }

  scale(zoom) {
    this.zoom = zoom
    this.svg.style.width = this.svg.viewBox.baseVal.width * zoom + "px"
  }

  // A zoom that a reader has chosen; what is in the middle stays there.
  to(zoom) {
    const { box } = this, across = box.clientWidth / 2, down = box.clientHeight / 2
    const x = (box.scrollLeft + across) / this.zoom, y = (box.scrollTop + down) / this.zoom
    this.fits = false
    this.scale(zoom)
    box.scrollTo(x * zoom - across, y * zoom - down)
  }

  step(by) {
    this.to((by > 0 ? ZOOMS.find(z => z > this.zoom + 0.01) : ZOOMS.findLast(z => z < this.zoom - 0.01)) ?? this.zoom)
  }

  show(part) {
    if (this.fresh || !inSight(part, this.box)) toMiddle(part, this.box)
    this.fresh = false
  }
}

// Looks for modules, tensors, operations and lines: a field, and below it a list of what was found.
const FOUND = 12, OF_A_LINE = 3

class Search {
  constructor(label, nothing, find, reach) {
    Object.assign(this, { nothing, find, reach, hits: [] })
    this.list = element("ul", { className: "found", id: "found", role: "listbox", ariaLabel: label, hidden: true })
    this.field = element("input", {
      type: "search", role: "combobox", placeholder: label, ariaLabel: label, title: label,
      autocomplete: "off", ariaAutoComplete: "list",
    })
    this.field.setAttribute("aria-controls", "found")
    this.field.oninput = () => this.look(this.field.value)
    this.field.onfocus = () => this.look(this.field.value)
    this.field.onkeydown = e => this.key(e)
    this.part = element("div", { className: "search" }, this.field, this.list)
    this.part.onfocusout = () => this.close()
    this.list.onpointerdown = e => e.preventDefault() // the field keeps the focus until the click
    this.close()
  }

  close() {
    this.list.hidden = true
    this.field.ariaExpanded = "false"
    this.field.removeAttribute("aria-activedescendant")
  }

  look(text) {
    const wanted = text.trim().toLowerCase()
    this.hits = wanted ? this.find(wanted) : []
    this.list.replaceChildren(...this.hits.map((hit, i) => {
      const name = element("b", { textContent: hit.name }), note = element("small", { textContent: hit.note })
      return element("li", { id: `found-${i}`, role: "option", onclick: () => this.choose(hit) }, name, " ", note)
    }))
    if (!wanted) return this.close()
    const nothing = { role: "option", ariaDisabled: "true", textContent: this.nothing }
    if (!this.hits.length) this.list.append(element("li", nothing))
    this.list.hidden = false
    this.field.ariaExpanded = "true"
    this.point(0)
  }

  point(at) {
    this.at = at
    this.hits.forEach((_, i) => { this.list.children[i].ariaSelected = String(i == at) })
    if (!this.hits.length) return this.field.removeAttribute("aria-activedescendant")
    this.field.setAttribute("aria-activedescendant", `found-${at}`)
    this.list.children[at].scrollIntoView({ block: "nearest" })
  }

  choose(hit) {
    this.close()
    this.reach(hit)
  }

  key(e) {
    const by = { ArrowDown: 1, ArrowUp: -1 }[e.key], { hits } = this
    if (e.key == "Escape") { this.field.value = ""; this.close(); this.field.blur() }
    else if (e.key == "Enter" && hits.length) this.choose(hits[this.at])
    else if (by && hits.length) this.point((this.at + by + hits.length) % hits.length)
    else return
    e.preventDefault()
  }
}

// Steps of a line that is asked for, then groups and boxes: those whose name begins with what is wanted come first.
const findIn = (part, wanted) => {
  const number = wanted.match(/^(?:line\s*|第\s*)?(\d+)(?:\s*行)?$/)?.[1], lines = []
  part.steps.forEach((step, i) => {
    if (step.line != number || lines.length == OF_A_LINE) return
    const note = [step.file, step.item.textContent].filter(Boolean).join(" · ")
    lines.push({ step: i + 1, name: part.words[8].replace("#", number), note })
  })
  const rank = ([key, [name, note]]) => {
    const at = `${name} ${note}`.toLowerCase().indexOf(wanted), group = part.isGroup(key)
    if (at >= 0) return at + (group ? 0 : 0.5)
    return group && part.path(key).join(".").toLowerCase().endsWith(wanted) ? 0 : Infinity
  }
  const inner = Object.entries(part.names).filter(([key]) => part.up[key])
  const named = inner.map(one => [rank(one), one]).filter(([at]) => at < Infinity)
  const found = named.sort(([a], [b]) => a - b).slice(0, FOUND - lines.length).map(([, [key, [name, note]]]) => {
    const around = part.path(key).slice(0, -1).join(" ▸ ")
    return { key, name: name || note, note: [name && note, around].filter(Boolean).join(" · ") }
  })
  return [...lines, ...found]
}

// The way to the open group: those around it, each a button that opens it.
class Trail {
  constructor(label, back, open) {
    Object.assign(this, { back, open })
    this.nav = element("nav", { ariaLabel: label })
  }

  show(part, view) {
    const [here, ...above] = part.around(view), name = key => part.names[key][0]
    const ways = above.map((key, i) => element("button", {
      type: "button", title: i ? "" : this.back, textContent: name(key), onclick: () => this.open(key),
    }))
    const last = element("b", { textContent: name(here), ariaCurrent: "true" })
    this.nav.replaceChildren(...ways.reverse().flatMap(way => [way, " ▸ "]), last)
    this.nav.hidden = !above.length && Object.keys(part.pictures).length < 2
  }
}

// A page with all of a recording: a player whose picture is folded, with zoom, search and the code beside it.
const FOLLOW = icon("M4 4h12v2H6v10H4zM9 9l6 6v-4h2v8H9v-2h4l-5-5z")
const FIT = icon("M4 4h6v2H6v4H4zM14 4h6v6h-2V6h-4zM4 14h2v4h4v2H4zM18 14h2v6h-6v-2h4z")
const SAVE = icon("M11 4h2v8h4l-5 5-5-5h4zM5 18h14v2H5z")
const COPY = icon("M4 4h11v3H7v8H4zM9 9h11v11H9zm2 2v7h7v-7z")
const THEME = icon("M12 3a9 9 0 1 0 0 18zM12 3a9 9 0 0 1 0 18v-2a7 7 0 0 0 0-14z")

customElements.define("trace-page", class extends customElements.get("trace-player") {
  async connectedCallback() {
    this.recorded = [...document.querySelectorAll("script.part")]
    this.chosen = this.recorded.findIndex(part => "first" in part.dataset)
    this.asked = this.chosen
    this.run = +(this.dataset.run ?? 0)
    this.unpacked = []
    const files = unpack(document.querySelector("script.code").textContent)
    this.bring(await this.part(this.chosen))
    this.querySelector(".highlight").insertAdjacentHTML("beforeend", await files)
    super.connectedCallback()
    const vary = this.querySelector("template")
    vary?.replaceWith(vary.content)
  }

  // A part of the run that is shown.
  async part(index) {
    const of = await (this.unpacked[index] ??= unpack(this.recorded[index].textContent).then(partOfRuns))
    return of(this.run)
  }

  // What is said of each run, where there are several.
  runs() {
    return unpack(document.querySelector("script.runs").textContent)
  }

  // Takes the place of the run that is shown: the same script with other numbers. The part is that which the reader has
  // chosen, or the one before, if this run lacks it; the group stays open, if this run has it.
  async replace([said, ...labels], _, run) {
    this.run = run
    const last = labels.findLastIndex((label, i) => label && i <= this.asked)
    const chosen = last < 0 ? labels.findIndex(label => label) : last, part = await this.part(chosen)
    if (this.run != run) return
    const { current, view, wanted } = this, path = current.path(view).join()
    this.chosen = chosen
    this.bring(part)
    if (part.isGroup(view) && part.path(view).join() == path) Object.assign(this, { view, wanted })
    this.take(this.read())
    this.fillList()
    this.look()
    if (this.select) {
      this.select.replaceChildren(...labels.flatMap((label, i) => label ? option([i, label]) : []))
      this.select.value = chosen
    }
    this.stay()
    return said
  }

  // The keys are those of the whole page.
  get hears() {
    return document
  }

  build() {
    const [where, back, search, out, fit, into, follow, theme, which, file, nothing, save] = this.dataset.tools.split("|")
    this.zoom = new Zoom(this.querySelector(".graph"), this.gone.signal)
    this.files = new CodePane(this.querySelector(".highlight"), file)
    this.trail = new Trail(where, back, view => this.open(view))
    this.search = new Search(search, nothing, text => findIn(this.current, text), hit => this.reach(hit))
    this.follower = button(follow, FOLLOW, () => this.followInside())
    this.follower.ariaPressed = "false"
    const bar = element("div", { className: "tools" }, this.trail.nav, this.search.part, this.follower,
      button(out, "−", () => this.zoom.step(-1)), button(fit, FIT, () => this.zoom.fit()),
      button(into, "+", () => this.zoom.step(1)), button(save, SAVE, () => this.save(document.title)),
      button(this.words[14], COPY, () => this.picture()))
    if (this.recorded.length > 1) {
      this.select = choice(which, this.recorded.map(({ dataset }, i) => [i, dataset.label]))
      this.select.onchange = () => this.choose(+this.select.value)
      bar.prepend(this.select)
    }
    this.querySelector(".graph").before(bar)
    for (const to of this.querySelectorAll(".doctor [data-line]"))
      to.onclick = () => this.reachLine(+to.dataset.line, to.dataset.file)
    const fold = this.querySelector(".doctor .fold")
    if (fold && matchMedia("(max-width: 600px), (max-height: 600px)").matches) fold.ariaExpanded = "false"
    if (fold) fold.onclick = () => fold.ariaExpanded = String(fold.ariaExpanded != "true")
    this.querySelector("header").prepend(button(theme, THEME, () => this.turnTheme()))
    super.build()
    this.list.ontoggle = () => this.fillList()
    addEventListener("beforeprint", () => { this.list.open = true; this.fillList() }, { signal: this.gone.signal })
    this.graph.onclick = e => this.enter(e.target.closest(".card"))
    addEventListener("popstate", e => e.state?.view && this.return(e.state), { signal: this.gone.signal })
    this.zoom.take()
    this.begin()
    history.replaceState(this.place, "")
  }

  // Another part of what was recorded; a player that is there already takes its steps.
  bring(part) {
    this.current = part
    this.view = this.wanted = part.firstView
    this.words = part.words
    this.querySelector("ol").replaceChildren()
    this.querySelector("ol + p")?.remove()
    this.querySelector("summary").textContent = part.summary
    this.querySelector(".caption").innerHTML = part.caption
  }

  read() {
    return this.current.steps
  }

  // The list of all steps, once it is opened.
  fillList() {
    const list = this.querySelector("ol")
    if (this.list.open && !list.firstChild) list.replaceChildren(...this.steps.map(step => step.item))
  }

  // Shows a part from its beginning, or at the step that failed.
  begin() {
    if (this.select) this.select.value = this.chosen
    this.files.begin(this.steps)
    this.current.failing ? this.go(this.current.failing) : this.rest()
  }

  get place() {
    return { chosen: this.chosen, view: this.view }
  }

  look() {
    this.graph.innerHTML = this.current.picture(this.view)
    super.look()
    this.drawn = new Set([...this.parts].map(part => part.dataset.k))
    this.places = new Map()
    this.zoom.take()
    this.trail.show(this.current, this.view)
  }

  // Where a box is seen: itself, the folded box that holds it, or a stub.
  standsFor(key) {
    return this.current.around(key).find(at => this.drawn.has(at))
  }

  seen(keys) {
    const place = key => {
      if (this.drawn.has(key)) return key
      const [from, to] = (this.current.ends[key] ?? [key]).map(end => this.standsFor(end))
      return to ? `${from}>${to}` : from
    }
    for (const key of keys) this.places.has(key) || this.places.set(key, place(key))
    return [...new Set(keys.map(key => this.places.get(key)))]
  }

  // The group that a reader has opened stays open where a step is about what is in it; else one around it is shown.
  go(n) {
    n = Math.max(1, Math.min(this.last, n))
    const { current: part } = this, boxes = part.boxes(this.steps[n - 1]), box = boxes.at(-1)
    if (this.follows && box) this.turnTo(part.up[box])
    else if (boxes.some(one => part.around(one).includes(this.wanted))) this.turnTo(this.wanted)
    else if (box && !boxes.some(one => this.standsFor(one))) {
      const around = new Set(part.around(box))
      this.turnTo(part.around(this.view).find(view => around.has(view)))
    }
    super.go(n)
    this.aim()
  }

  // Brings the box that runs, which a step names last, and the line into sight.
  aim() {
    const on = [...this.graph.querySelectorAll(".card.on")], step = this.steps[this.now - 1]
    const runs = step && this.current.boxes(step).findLast(one => this.standsFor(one))
    const box = on.find(one => one.dataset.k == this.standsFor(runs)) ?? on.at(-1)
    if (box) this.zoom.show(box.querySelector(".box"))
    const pane = this.marked[0]?.closest("pre")
    if (!pane) return
    const line = this.marked[0].getBoundingClientRect(), { top, bottom } = pane.getBoundingClientRect()
    const seen = line.top >= top + MARGIN && line.bottom <= bottom - MARGIN
    if (!seen) pane.scrollTop += (line.top + line.bottom - top - bottom) / 2
  }

  source(file) {
    return this.files.code(file)
  }

  // It would turn to another file.
  light() {}

  turnTo(view) {
    if (view == this.view) return
    this.view = view
    this.look()
  }

  // Opens a folded box: another picture, in which the same step is shown.
  open(view) {
    if (!view || view == this.view) return
    const before = this.view
    this.turnTo(this.wanted = view)
    this.again()
    history.pushState(this.place, "")
    const from = this.graph.querySelector(`[data-k="${before}"]`) ?? this.graph
    from.focus({ preventScroll: true })
  }

  // The same step in another picture.
  again() {
    const step = this.rests ? {} : this.steps[this.now - 1]
    this.show(this.now, step)
    this.mark(this.lines(step))
    this.aim()
  }

  // A stub for one use of a box has the key of its edge.
  enter(box) {
    if (!box?.matches(".group, .stub")) return this.press(box)
    const { current: part } = this, of = box.dataset.k, key = part.ends[of]?.[0] ?? of.split(">")[0]
    const isHere = !part.isGroup(key) && part.up[key] == this.view
    if (isHere) this.zoom.show(this.graph.querySelector(`[data-k="${key}"] .box`))
    else this.open(part.isGroup(key) ? key : part.up[key] ?? part.up[this.view])
  }

  outside() {
    if (this.current.up[this.view]) this.open(this.current.up[this.view])
  }

  followInside() {
    this.follows = !this.follows
    this.follower.ariaPressed = String(this.follows)
    if (!this.follows) this.wanted = this.view
    else if (!this.rests) this.go(this.now)
  }

  turnTheme() {
    const root = document.documentElement.style, dark = matchMedia("(prefers-color-scheme: dark)").matches
    root.colorScheme = (root.colorScheme || (dark ? "dark" : "light")) == "dark" ? "light" : "dark"
  }

  async choose(index) {
    this.asked = index
    await this.turnToPart(index)
    history.pushState(this.place, "")
  }

  async turnToPart(index) {
    this.stop()
    this.chosen = index
    this.bring(await this.part(index))
    this.take(this.read())
    this.fillList()
    this.look()
    this.begin()
  }

  // Back, by the button of the browser.
  async return({ chosen, view }) {
    if (chosen != this.chosen) await this.turnToPart(chosen)
    this.turnTo(this.wanted = view)
    this.again()
  }

  // Shows what was looked for in its picture, at the first step that is about it.
  reach({ key, step }) {
    const { current: part } = this, about = one => part.around(one).includes(key)
    this.stop()
    const n = step ?? this.steps.findIndex(one => one.touches.some(about)) + 1
    const box = key ?? part.boxes(this.steps[n - 1]).at(-1)
    if (box) this.turnTo(this.wanted = part.up[box])
    n ? this.go(n) : this.again()
    history.pushState(this.place, "")
    const shown = this.graph.querySelector(`[data-k="${key}"]`)
    if (!shown) return
    this.zoom.show(shown.querySelector(".box"))
    shown.focus({ preventScroll: true })
  }

  // Shows a line of the code at its first step; one without a step is only brought into sight.
  reachLine(line, file) {
    const step = this.steps.findIndex(each => each.line == line && (each.file || "") == file) + 1
    if (step) return this.reach({ step })
    const row = this.files.code(file)?.querySelectorAll(".code-line")[line - 1]
    row?.scrollIntoView({ block: "center" })
    this.querySelector(".code-line.lit")?.classList.remove("lit")
    row?.classList.add("lit")
  }

  // Arrows step wherever the reader is, but in what has arrows of its own.
  key(e) {
    if (e.ctrlKey || e.metaKey || e.altKey || e.defaultPrevented) return
    const at = e.target, box = at.closest("[role=button]"), own = at.matches("input, select") || this.list.contains(at)
    const step = n => () => { this.stop(); this.go(n) }
    const zoom = by => () => this.zoom.step(by), outside = () => this.outside()
    const keys = {
      ...(!own && {
        ArrowRight: step(this.now + 1), ArrowLeft: step(this.now - 1), Home: step(1), End: step(this.last),
      }),
      ...(!at.matches("input:not([type=range]), select") && {
        Escape: outside, Backspace: outside, "+": zoom(1), "=": zoom(1), "-": zoom(-1), 0: () => this.zoom.fit(),
        "/": () => this.search.field.focus(), f: () => this.followInside(),
      }),
      ...(box && { Enter: () => this.enter(box), " ": () => this.enter(box) }),
    }
    if (!keys[e.key]) return
    e.preventDefault()
    keys[e.key]()
  }
})
