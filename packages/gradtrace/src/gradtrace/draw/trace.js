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

customElements.get("trace-player") || customElements.define("trace-player", class extends HTMLElement {
  static make = make

  connectedCallback() {
    this.gone = new AbortController()
    const on = (what, type, run) => what.addEventListener(type, run, this.gone)
    this.bar ?? this.build()
    on(this.hears, "keydown", e => this.key(e))
    on(window, "hashchange", () => this.follow(location.hash))
    on(window, "beforeprint", () => { this.stop(); this.prints = this.list.open = true; this.stay() })
    on(window, "afterprint", () => { this.prints = false; this.stay() })
    document.addEventListener("click", e => this.click(e), { capture: true, signal: this.gone.signal })
    this.follow(location.hash)
  }

  disconnectedCallback() {
    this.gone.abort()
    this.stop()
    this.mark([])
  }

  build() {
    this.words ??= this.dataset.words.split("|")
    this.graph = this.querySelector(".graph")
    this.list = this.querySelector("details")
    this.list.open = false
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
    const pace = make("button", { className: "pace", onclick: () => { speed = speed % 2 ? 2 : speed > 1 ? 0.5 : 1; this.pace() } })
    this.bar = make("div", { className: "player" }, ...this.buttons, this.pass, pace, this.slider, this.count, this.text)
    this.graph.after(this.bar)
    this.pace()
    this.rest()
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
  }

  look() {
    this.parts = this.graph.querySelectorAll("g, .line")
    this.slots = this.graph.querySelectorAll("text[data-k], tspan")
    this.streams = this.graph.querySelectorAll(".stream")
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
    const step = this.steps[n - 1], { item, line, end, file } = step, code = make("small")
    this.rests = false
    this.show(n, step)
    if (line) code.append(this.words[8].replace("#", end > line ? `${line}–${end}` : line) + " ", make("code", {}, this.code(line, file, end)))
    this.tell(`${n} / ${this.last}`, this.words[7].replace("#", n) + ": " + item.textContent, code, ...item.cloneNode(true).childNodes)
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

  // Brings what plays into sight, and leaves the picture the room that the rest of it does not need: the picture with
  // the player, and the code where that stands beside it.
  reveal(behavior) {
    const both = this.closest(".traced"), beside = both && getComputedStyle(both).display == "grid", block = beside ? both : this.graph
    const parts = [block, this.parentElement, this.graph, this.bar, beside ? this.source() ?? both : this.bar]
    const margin = parseFloat(getComputedStyle(block).scrollMarginTop), boxes = () => parts.map(e => e.getBoundingClientRect())
    const [, figure, picture, { height }] = boxes()
    this.style.setProperty("--around", margin + height + 8 + (beside && picture.top - figure.top) + "px")
    const [all, , graph, bar, code] = boxes()
    const seen = all.top >= margin - 1 && graph.bottom <= bar.top + 1 && Math.max(bar.bottom, code.bottom) <= innerHeight
    if (!seen) block.scrollIntoView({ behavior })
  }

  // The code above the figure, or beside it.
  source() {
    return [...document.querySelectorAll(".highlight:not(.output)")].findLast(block =>
      block.compareDocumentPosition(this) & 4)?.querySelector("pre > code")
  }

  // Marks a line of the code, or those up to another, and returns its text.
  code(number, file, end = number) {
    const lines = [...this.source(file)?.querySelectorAll(".code-line") ?? []]
    this.mark(lines.slice(number - 1, end))
    return lines[number - 1]?.textContent.trim() ?? ""
  }

  // The lines that run, in place of those before.
  mark(lines) {
    for (const line of this.marked ?? []) line.classList.remove("trace-line")
    for (const line of lines) line.classList.add("trace-line")
    this.marked = lines
  }

  key(e) {
    const at = e.target, n = { ArrowRight: this.now + 1, ArrowLeft: this.now - 1, Home: 1, End: this.last }[e.key]
    if (n == null || e.altKey || e.ctrlKey || e.metaKey || at == this.slider || this.list.contains(at)) return
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
