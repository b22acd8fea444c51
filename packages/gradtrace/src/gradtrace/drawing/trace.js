// Makes a player of a figure. Each item of its list holds a sentence, the number of a line of code (data-l) or of several (to data-e), the boxes
// and edges it is about (data-t), the texts it changes (data-s), and the number of its backward pass (data-p).
{
const make = (tag, parts, ...inside) => {
  const made = Object.assign(document.createElement(tag), parts)
  made.append(...inside)
  return made
}

// Of all players on a page.
let speed = 1

// Whether a reader keeps the legend open.
const kept = open => {
  try {
    if (open != null) localStorage.traceLegend = open ? "open" : ""
    return localStorage.traceLegend
  } catch {}
}

// The figure that an address asks for: it is shown alone, such as in a frame on another page.
const alone = new URLSearchParams(location.search).get("figure")

// The width of a page of paper.
const PAPER = 680

// What a style sheet says of a picture, which an image needs itself.
const LOOKS = ["fill", "stroke", "stroke-width", "stroke-dasharray", "opacity", "display", "font", "text-anchor", "marker-start", "marker-end", "white-space"]

customElements.get("trace-player") || customElements.define("trace-player", class extends HTMLElement {
  static make = make

  connectedCallback() {
    this.gone = new AbortController()
    const on = (what, type, run) => what.addEventListener(type, run, this.gone)
    this.bar ?? this.build()
    on(this.hears, "keydown", e => this.key(e))
    on(window, "hashchange", () => this.follow(location.hash))
    // It has no height as long as it is hidden, as until a question is answered.
    const around = this.closest(".traced") ?? this
    this.watch = new ResizeObserver(() => {
      if (around.clientWidth != this.room || !this.high) this.fit(this.room = around.clientWidth)
    })
    for (const each of new Set([around, this])) this.watch.observe(each)
    on(window, "beforeprint", () => { this.stop(); this.prints = this.list.open = true; this.fold(); this.turn(); this.stay() })
    on(window, "afterprint", () => { this.prints = false; this.fold(); this.turn(); this.stay() })
    document.addEventListener("click", e => this.click(e), { capture: true, signal: this.gone.signal })
    this.follow(location.hash)
  }

  disconnectedCallback() {
    this.gone.abort()
    this.watch.disconnect()
    this.stop()
    this.mark([])
    this.light()
  }

  build() {
    this.words ??= this.dataset.words.split("|")
    this.graph = this.querySelector(".graph")
    this.figure = this.closest("figure.trace")
    this.list = this.querySelector("details:not(figcaption *)")
    this.list.open = false
    this.legend = this.querySelector("figcaption details")
    if (this.legend) this.legend.firstChild.onclick = () => kept(!this.legend.open)
    this.fold()
    this.take(this.read())
    this.look()
    const moves = [() => 1, () => this.now - 1, 0, () => this.now + 1, () => this.last]
    this.buttons = moves.map(move => make("button", { onclick: () => {
      const playing = this.stop()
      move ? this.stepTo(move()) : playing || this.play()
    } }))
    const icons = ["M5 4h3v16H5zM20 4v16L9 12z", "M15 5l-7 7 7 7", "", "M9 5l7 7-7 7", "M16 4h3v16h-3zM4 4v16l11-8z"]
    icons.forEach((icon, i) => this.face(i, icon, i + (i > 2)))
    this.slider = make("input", { type: "range", min: 1, ariaLabel: this.words[6] })
    this.slider.oninput = () => { this.stop(); this.go(+this.slider.value) }
    this.count = make("small")
    this.text = make("p")
    this.pass = make("button", { onclick: () => { this.stop(); this.stepTo(this.nextPass()) } })
    const pace = make("button", { className: "pace", onclick: () => { speed = speed == 1 ? 2 : speed == 2 ? 0.5 : 1; this.pace() } })
    this.around = make("pre", { className: "around", ariaHidden: "true" })
    const numbers = this.querySelector("trace-vary") ?? ""
    this.bar = make("div", { className: "player" }, ...this.buttons, this.pass, pace, this.slider, this.count, numbers, this.around, this.text)
    this.graph.after(this.bar)
    if (this.figure) this.append(this.sharing())
    for (const type of ["pointerover", "focusin"]) this.graph.addEventListener(type, e => this.light(e.target.closest(".card")))
    for (const type of ["pointerleave", "focusout"]) this.graph.addEventListener(type, () => this.light())
    this.graph.onclick = e => this.press(e.target.closest(".card"))
    if (alone && this.figure?.id == alone) {
      (this.closest(".traced") ?? this.figure).classList.add("alone")
      document.documentElement.classList.add("only")
    }
    this.pace()
    this.rest()
    this.fit()
  }

  // The legend is folded, unless a reader wants it.
  fold() {
    if (this.legend) this.legend.open = this.prints || !!kept()
  }

  // The picture goes across or down, as there is room; the figure goes below the code where that lets it be seen as a whole.
  fit() {
    if (!this.figure) return
    this.wide ??= this.figure.classList.contains("wide")
    const room = wide => {
      this.figure.classList.toggle("wide", wide)
      this.text.style.height = (this.high = this.longest()) + "px"
      this.style.setProperty("--around", `calc(var(--top, 3.2rem) + 0.4rem + ${this.bar.offsetHeight}px)`)
      return this.graph.clientWidth
    }
    const [[across], [down, height]] = this.sizes(), first = room(this.wide)
    const isHigh = height > parseFloat(getComputedStyle(this.graph).maxHeight)
    if (this.isBeside() && across > first && (isHigh || down > first)) room(true) < across && down <= first && room(false)
    this.turn()
  }

  // How wide and how high the picture is across, and down.
  sizes() {
    const svg = this.graph.querySelector("svg"), { width, height } = svg.viewBox.baseVal
    const both = [[width, height], svg.dataset.turn?.split(" ").map(Number) ?? [Infinity]]
    return svg.matches(".across") ? both : both.reverse()
  }

  isBeside() {
    const both = this.closest(".traced")
    return !!both && getComputedStyle(both).display == "grid"
  }

  // Where it goes the other way, its parts take the places that they have then.
  turn(across = this.sizes()[0][0] <= (this.prints ? PAPER : this.graph.clientWidth)) {
    const svg = this.graph.querySelector("svg"), { width, height } = svg.viewBox.baseVal
    if (!svg.dataset.turn || svg.matches(".across") == across) return
    const [w, h] = svg.dataset.turn.split(" ")
    for (const [name, value] of Object.entries({ viewBox: `0 0 ${w} ${h}`, width: w, height: h, "data-turn": `${width} ${height}` })) svg.setAttribute(name, value)
    svg.setAttribute("style", svg.getAttribute("style").replace(/[\d.]+/, w))
    svg.classList.toggle("across", across)
    for (const part of svg.querySelectorAll("[data-turn]")) {
      const name = part.matches("path") ? "d" : "transform", place = part.getAttribute(name)
      part.setAttribute(name, part.dataset.turn)
      part.dataset.turn = place
    }
  }

  // How high the longest sentence is: the text has that height, so that nothing moves.
  longest() {
    const all = make("p", { className: "longest" }, ...this.steps.map(step => make("span", {}, ...this.sentence(step))), make("span", {}, this.words[10]))
    this.bar.append(all)
    const height = all.offsetHeight
    all.remove()
    return height
  }

  // Ways to take a step elsewhere.
  sharing() {
    const [, , , , , , , , , , , , , link, image, frame, copied] = this.words
    const copy = text => navigator.clipboard.writeText(text).catch(() => prompt("", text))
    const address = search => {
      const vary = this.querySelector("trace-vary"), step = this.rests ? "#" + this.figure.id : this.steps[this.now - 1].id
      const values = vary?.isOwn() === false ? vary.numbers.map(({ name, values }, i) => `&${name}=${values[vary.at[i]]}`) : []
      return location.origin + location.pathname + search + step + values.join("")
    }
    const ways = {
      [link]: () => copy(address("")),
      [image]: () => this.picture(),
      [frame]: () => copy(make("iframe", {
        src: address("?figure=" + this.figure.id), width: "100%", height: (this.closest(".traced") ?? this.figure).offsetHeight + 40,
      }).outerHTML),
    }
    return make("div", { className: "share", ariaLive: "polite" }, ...Object.entries(ways).map(([label, run]) => {
      const button = make("button", { type: "button", textContent: label, onclick: async () => {
        button.style.minWidth = button.offsetWidth + "px"
        await run()
        button.textContent = copied
        setTimeout(() => { button.textContent = label }, 2000)
      } })
      return button
    }))
  }

  // The address of the picture as an image of its own, with its looks.
  image() {
    const svg = this.graph.querySelector("svg"), copy = svg.cloneNode(true), parts = svg.querySelectorAll("*")
    copy.querySelectorAll("*").forEach((part, i) => {
      const look = getComputedStyle(parts[i])
      for (const name of LOOKS) part.style.setProperty(name, look.getPropertyValue(name))
    })
    copy.style.background = getComputedStyle(document.body).backgroundColor
    return "data:image/svg+xml," + encodeURIComponent(new XMLSerializer().serializeToString(copy))
  }

  save(name) {
    make("a", { href: this.image(), download: name + ".svg" }).click()
  }

  // Copies the picture as an image; saves it where a browser copies none.
  async picture() {
    const { width, height } = this.graph.querySelector("svg").viewBox.baseVal
    const drawn = async () => {
      const image = new Image(), canvas = make("canvas", { width: 2 * width, height: 2 * height })
      image.src = this.image()
      await image.decode()
      canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height)
      return new Promise(done => canvas.toBlob(done))
    }
    try {
      await navigator.clipboard.write([new ClipboardItem({ "image/png": drawn() })])
    } catch {
      this.save(this.figure.id || document.title)
    }
  }

  read() {
    return [...this.querySelectorAll("li")].map(item => {
      const { l, e, t, s, p, up } = item.dataset, id = "#" + item.id // of a link, which is to lead to the figure
      item.removeAttribute("id")
      return { item, id, line: +l, end: +(e ?? l), pass: p, up: up == "", touches: t?.split(" ") ?? [], changes: JSON.parse(s ?? "{}") }
    })
  }

  // Where keys are pressed that move it.
  get hears() {
    return this
  }

  take(steps) {
    this.steps = steps
    this.last = steps.length
    // The numbers of the steps with which backward passes begin.
    this.begins = steps.flatMap(({ pass }, i) => pass && pass != steps[i - 1]?.pass ? i + 1 : [])
  }

  nextPass() {
    return this.begins.find(n => n > this.now) ?? this.begins[0]
  }

  // Takes the place of the run that is shown: the same script with other numbers.
  replace([description, summary, words, ...items], picture) {
    this.own ??= this.graph.innerHTML
    const ends = !this.rests && this.now >= this.last
    this.words = words.split("|")
    this.list.firstChild.textContent = summary
    this.list.querySelector("ol").innerHTML = items.join("")
    this.graph.innerHTML = picture ?? this.own
    this.graph.querySelector("desc").textContent = description
    this.take(this.read())
    this.look()
    if (ends) this.now = this.last
    this.stay()
    if (!this.figure) return
    this.turn()
    this.text.style.height = Math.max(this.high, this.longest()) + "px"
  }

  look() {
    this.light()
    this.graph.querySelector("svg").setAttribute("role", "group")
    const cards = this.graph.querySelectorAll(".card:not([role])")
    cards.forEach((card, i) => { card.setAttribute("role", "button"); card.tabIndex = i ? -1 : 0 })
    this.parts = this.graph.querySelectorAll("g, .line")
    this.slots = this.graph.querySelectorAll("text[data-k], tspan")
    this.streams = this.graph.querySelectorAll(".stream")
  }

  // The numbers of the steps at which a box changes.
  stepsOf(key) {
    return this.steps.flatMap(({ changes, touches }, i) =>
      touches.includes(key) || [..."vgh"].some(slot => key + slot in changes) ? i + 1 : [])
  }

  // Shows the first step at which a box changes; once more, the next one.
  press(card) {
    const key = card?.dataset.k, at = this.stepsOf(key)
    if (!at.length) return
    this.stop()
    this.go(this.pressed == key && at.find(n => n > this.now) || at[0])
    this.pressed = key
  }

  // A box, its line of code and the factors with which its gradient goes on are lit together.
  light(card) {
    for (const part of this.lit ?? []) part.classList.remove("lit")
    const key = card?.dataset.k, step = key && this.steps[this.stepsOf(key)[0] - 1]
    this.lit = key ? [card, ...this.graph.querySelectorAll(`[data-of="${key}"]`), ...step ? this.lines(step) : []] : []
    for (const part of this.lit) part.classList.add("lit")
  }

  // The boxes and edges of the picture in which these are seen.
  seen(keys) {
    return keys
  }

  face(i, icon, word) {
    const button = this.buttons[i]
    button.innerHTML = `<svg viewBox="0 0 24 24" aria-hidden="true"><path d="${icon}"/></svg>`
    this.label(button, this.words[word])
  }

  label(button, text) {
    button.title = button.ariaLabel = text
  }

  pace() {
    for (const button of document.querySelectorAll(".pace")) {
      button.textContent = speed + "×"
      this.label(button, this.words[12].replace("#", speed + "×"))
    }
  }

  // As it opens: just before the first backward pass; finished where there is none, and with other numbers, so that
  // who changes one sees what becomes of the gradients.
  rest() {
    this.stop()
    const n = !this.other && this.begins[0] - 1, text = this.words[n ? 10 : 9]
    this.show(n || this.last, {})
    this.tell(n ? `${n} / ${this.last}` : "", text, text)
    this.rests = true
    this.peek(this.steps[n || this.last - 1])
  }

  // Where the reader is, in a picture that was changed; on paper it is finished.
  stay() {
    const { now } = this
    if (this.prints) this.show(this.last, {}), this.now = now
    else this.rests ? this.rest() : this.go(now)
  }

  // What a step shows is the sum of all changes up to it, however the reader came there.
  show(n, { up, touches = [] }) {
    const past = this.steps.slice(0, n), state = Object.assign({}, ...past.map(step => step.changes))
    const seen = new Set(this.seen(past.flatMap(step => step.touches))), on = this.seen(touches), row = {}
    for (const slot of this.slots) {
      const key = slot.dataset.k
      if (key) slot.textContent = state[key]?.split("\n")[row[key] = (row[key] ?? -1) + 1] ?? ""
    }
    for (const { classList, dataset: { k } } of this.parts) {
      classList.toggle("on", on.includes(k))
      classList.toggle("up", !!up && on.includes(k))
      classList.toggle("off", n < this.last && !seen.has(k))
    }
    for (const stream of this.streams) {
      const [width, sign = ""] = (state[stream.dataset.k] ?? "").split(" ")
      stream.setAttribute("stroke-width", width)
      stream.setAttribute("class", "stream " + sign)
    }
    this.mark([])
    this.slider.max = this.last
    this.now = this.slider.value = n
    this.pass.hidden = this.begins.length < 2
    const number = this.steps[this.nextPass() - 1]?.pass
    this.pass.textContent = "→∇" + (number > 20 ? number : String.fromCharCode(9311 + +number))
    this.label(this.pass, this.words[11].replace("#", number))
  }

  tell(count, text, ...inside) {
    this.count.textContent = count
    this.slider.ariaValueText = text
    this.text.ariaLive = this.timer ? "off" : "polite"
    this.text.replaceChildren(...inside)
    this.text.scrollTop = 0
    this.text.toggleAttribute("tabindex", false)
    if (this.text.scrollHeight > this.text.clientHeight) this.text.tabIndex = 0
  }

  go(n) {
    n = Math.max(1, Math.min(this.last, n))
    const step = this.steps[n - 1], { item } = step
    this.rests = false
    this.show(n, step)
    this.mark(this.lines(step))
    this.tell(`${n} / ${this.last}`, this.words[7].replace("#", n) + ": " + item.textContent, ...this.sentence(step))
    this.peek(step)
    const box = this.graph.getBoundingClientRect(), on = this.graph.querySelector("g.on")?.getBoundingClientRect()
    if (on?.left < box.left || on?.right > box.right) this.graph.scrollLeft += (on.left + on.right - box.left - box.right) / 2
    if (on?.top < box.top || on?.bottom > box.bottom) this.graph.scrollTop += (on.top + on.bottom - box.top - box.bottom) / 2
  }

  // Shows a step, and brings it into sight where its boxes are not.
  stepTo(n) {
    this.go(n)
    const on = this.graph.querySelector("g.on")?.getBoundingClientRect()
    if (on?.top < 0 || on?.bottom > this.bar.getBoundingClientRect().top) this.reveal()
  }

  // Brings what plays into sight: the picture with the player, and the code where that stands beside it.
  reveal(behavior) {
    const beside = this.isBeside(), block = beside ? this.closest(".traced") : this.graph
    const parts = [block, this.graph, this.bar, beside ? this.source() ?? block : this.bar]
    const margin = parseFloat(getComputedStyle(block).scrollMarginTop)
    const [all, graph, bar, code] = parts.map(e => e.getBoundingClientRect())
    const seen = all.top >= margin - 1 && graph.bottom <= bar.top + 1 && Math.max(bar.bottom, code.bottom) <= innerHeight
    if (!seen) block.scrollIntoView({ behavior })
  }

  // The code above the figure, or beside it.
  source() {
    return [...document.querySelectorAll(".highlight:not(.output)")].findLast(block =>
      block.compareDocumentPosition(this) & 4)?.querySelector("pre > code")
  }

  // The lines of code that run in a step.
  lines({ line, end = line, file }) {
    return line ? this.code(file).slice(line - 1, end) : []
  }

  code(file) {
    return [...this.source(file)?.querySelectorAll(".code-line") ?? []]
  }

  // What is told of a step: its line, and its sentence.
  sentence({ item, line, end = line, file }) {
    const code = make("small"), label = this.words[8].replace("#", end > line ? `${line}–${end}` : line) + " "
    if (line) code.append(label, make("code", {}, this.code(file)[line - 1]?.textContent.trim() ?? ""))
    return [code, ...item.cloneNode(true).childNodes]
  }

  // The lines around that of a step, which stay with a figure that is below its code.
  peek({ line, end }) {
    const lines = line && this.figure ? this.code() : [], first = Math.max(0, Math.min(line - 2, lines.length - 3))
    if (lines.length) this.around.replaceChildren(...lines.slice(first, first + 3).map((each, i) => {
      const shown = make("span", { innerHTML: each.innerHTML }), n = first + i + 1
      shown.dataset.n = n
      shown.classList.toggle("now", !this.rests && line <= n && n <= end)
      return shown
    }))
  }

  // The lines that run, in place of those before.
  mark(lines) {
    for (const line of this.marked ?? []) line.classList.remove("trace-line")
    for (const line of lines) line.classList.add("trace-line")
    this.marked = lines
  }

  key(e) {
    const at = e.target, card = at.closest(".card"), cards = [...this.graph.querySelectorAll(".card")]
    const other = card && cards[cards.indexOf(card) + { ArrowDown: 1, ArrowUp: -1 }[e.key]]
    if (other || card && (e.key == "Enter" || e.key == " ")) {
      e.preventDefault()
      return other ? other.focus() : this.press(card)
    }
    const n = { ArrowRight: this.now + 1, ArrowLeft: this.now - 1, Home: 1, End: this.last }[e.key]
    if (n == null || e.altKey || e.ctrlKey || e.metaKey || at.matches("input") || this.list.contains(at)) return
    if (at == this.graph && at.scrollWidth > at.clientWidth) return
    e.preventDefault()
    this.stop()
    this.stepTo(n)
  }

  play() {
    const first = this.begins[0] - 1 || 0
    if (this.now >= this.last) this.now = first
    // About a second a step, half of one before the first backward pass; 20 seconds for all.
    const time = n => n > first ? 1 : 0.5
    let sum = 0
    for (let n = this.now + 1; n < this.last; n++) sum += time(n)
    const unit = Math.min(1000, 20000 / sum), next = () => {
      this.go(this.now + 1)
      if (this.now < this.last) this.timer = setTimeout(next, unit * time(this.now) / speed)
      else this.stop()
    }
    this.timer = 1
    this.face(2, "M6 4h4v16H6zM14 4h4v16h-4z", 3)
    this.reveal(matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth")
    next()
  }

  stop() {
    const playing = this.timer
    clearTimeout(playing)
    this.timer = 0
    this.face(2, "M7 4v16l13-8z", 2)
    return playing
  }

  // A link to a step, before the theme sees it, which would load the page again.
  click(e) {
    const link = e.target.closest?.("a"), elsewhere = e.ctrlKey || e.metaKey || e.shiftKey || link?.dataset.values
    if (elsewhere || link?.pathname != location.pathname || !this.follow(link.hash)) return
    e.preventDefault()
    e.stopPropagation()
    history.pushState(null, "", link.hash)
  }

  follow(hash) {
    const n = this.steps.findIndex(step => step.id == hash?.split("&")[0])
    if (n < 0) return
    this.go(n + 1)
    this.reveal()
    return true
  }
})
}
