// Makes a player of a figure. Each item of its list holds a sentence, the number of a line of code (data-l), the boxes
// and edges it is about (data-t) and the texts it changes (data-s).
{
const make = (tag, parts, ...inside) => {
  const made = Object.assign(document.createElement(tag), parts)
  made.append(...inside)
  return made
}

customElements.get("trace-player") || customElements.define("trace-player", class extends HTMLElement {
  connectedCallback() {
    this.gone = new AbortController()
    const on = (what, type, run) => what.addEventListener(type, run, this.gone)
    this.bar ?? this.build()
    on(window, "hashchange", () => this.follow(location.hash))
    on(window, "beforeprint", () => { this.rest(); this.list.open = true })
    on(document, "click", e => this.follow(e.target.closest("a")?.hash))
    this.follow(location.hash)
  }

  disconnectedCallback() {
    this.gone.abort()
    this.stop()
    this.mark?.remove()
  }

  build() {
    this.words = this.dataset.words.split("|")
    this.graph = this.querySelector(".graph")
    this.list = this.querySelector("details")
    this.list.open = false
    this.steps = [...this.querySelectorAll("li")].map(item => {
      const { l, t, s, up } = item.dataset, id = "#" + item.id // of a link, which is to lead to the figure
      item.removeAttribute("id")
      return { item, id, line: +l, up: up == "", touches: t?.split(" ") ?? [], changes: JSON.parse(s ?? "{}") }
    })
    this.last = this.steps.length
    this.parts = this.graph.querySelectorAll("g, .line")
    this.slots = this.graph.querySelectorAll("text[data-k], tspan")
    const moves = [() => 1, () => this.now - 1, 0, () => this.now + 1, () => this.last]
    this.buttons = moves.map(move => make("button", { onclick: () => {
      const playing = this.stop()
      move ? this.go(move()) : playing || this.play()
    } }))
    const icons = ["M5 4h3v16H5zM20 4v16L9 12z", "M15 5l-7 7 7 7", "", "M9 5l7 7-7 7", "M16 4h3v16h-3zM4 4v16l11-8z"]
    icons.forEach((icon, i) => this.face(i, icon, i + (i > 2)))
    this.slider = make("input", { type: "range", min: 1, max: this.last, ariaLabel: this.words[6] })
    this.slider.oninput = () => { this.stop(); this.go(+this.slider.value) }
    this.count = make("small")
    this.text = make("p")
    this.bar = make("div", { className: "player" }, ...this.buttons, this.slider, this.count, this.text)
    this.graph.after(this.bar)
    this.onkeydown = e => this.key(e)
    this.rest()
  }

  face(i, icon, word) {
    const button = this.buttons[i]
    button.innerHTML = `<svg viewBox="0 0 24 24" aria-hidden="true"><path d="${icon}"/></svg>`
    button.title = button.ariaLabel = this.words[word]
  }

  rest() {
    this.stop()
    this.show(this.last, {})
    this.now++
    this.tell("", this.words[9], this.words[9])
  }

  // What a step shows is the sum of all changes up to it, however the reader came there.
  show(n, { up, touches = [] }) {
    const past = this.steps.slice(0, n), state = Object.assign({}, ...past.map(step => step.changes))
    const seen = new Set(past.flatMap(step => step.touches)), row = {}
    for (const slot of this.slots) {
      const key = slot.dataset.k
      if (key) slot.textContent = state[key]?.split("\n")[row[key] = (row[key] ?? -1) + 1] ?? ""
    }
    for (const { classList, dataset: { k } } of this.parts) {
      classList.toggle("on", touches.includes(k))
      classList.toggle("up", !!up && touches.includes(k))
      classList.toggle("off", n < this.last && !seen.has(k))
    }
    this.mark?.remove()
    this.now = this.slider.value = n
  }

  tell(count, text, ...inside) {
    this.count.textContent = count
    this.slider.ariaValueText = text
    this.text.ariaLive = this.timer ? "off" : "polite"
    this.text.replaceChildren(...inside)
  }

  go(n) {
    n = Math.max(1, Math.min(this.last, n))
    const step = this.steps[n - 1], { item, line } = step, code = make("small")
    this.show(n, step)
    if (line) code.append(this.words[8].replace("#", line) + " ", make("code", {}, this.code(line)))
    this.tell(`${n} / ${this.last}`, this.words[7].replace("#", n) + ": " + item.textContent, code, ...item.cloneNode(true).childNodes)
    const box = this.graph.getBoundingClientRect(), on = this.graph.querySelector(".on")?.getBoundingClientRect()
    if (on?.left < box.left || on?.right > box.right) this.graph.scrollLeft += (on.left + on.right - box.left - box.right) / 2
  }

  // Marks a line of the script above the figure, and gives its text.
  code(number) {
    let block = this.parentElement
    do block = block.previousElementSibling
    while (block && !block.matches(".highlight:not(.output)"))
    const code = block?.querySelector("pre > code")
    if (!code) return ""
    const { lineHeight, paddingTop } = getComputedStyle(code)
    this.mark = make("div", { className: "trace-line" })
    this.mark.style = `height:${lineHeight};top:calc(${paddingTop} + ${number - 1} * ${lineHeight})`
    code.after(this.mark)
    return code.textContent.split("\n")[number - 1].trim()
  }

  key(e) {
    const at = e.target, n = { ArrowRight: this.now + 1, ArrowLeft: this.now - 1, Home: 1, End: this.last }[e.key]
    if (n == null || e.altKey || e.ctrlKey || e.metaKey || at == this.slider || this.list.contains(at)) return
    if (at == this.graph && at.scrollWidth > at.clientWidth) return
    e.preventDefault()
    this.stop()
    this.go(n)
  }

  play() {
    const next = () => this.now < this.last ? this.go(this.now + 1) : this.stop()
    if (this.now >= this.last) this.now = 0
    this.timer = setInterval(next, 1800)
    this.face(2, "M6 4h4v16H6zM14 4h4v16h-4z", 3)
    next()
  }

  stop() {
    const playing = this.timer
    clearInterval(playing)
    this.timer = 0
    this.face(2, "M7 4v16l13-8z", 2)
    return playing
  }

  follow(hash) {
    const n = this.steps.findIndex(step => step.id == hash)
    if (n < 0) return
    this.go(n + 1)
    this.scrollIntoView({ block: "nearest" })
  }
})
}
