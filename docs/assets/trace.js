// Makes a player of each figure of a trace. All it shows stands in the page already: every item of the list holds a
// sentence, its line of code (data-l), the cards and lines it is about (data-t) and the texts it changes (data-s).
customElements.get("trace-player") || customElements.define("trace-player", class extends HTMLElement {
  connectedCallback() {
    this.leave = new AbortController()
    const at = { signal: this.leave.signal }
    if (!this.bar) this.build()
    addEventListener("hashchange", () => this.follow(location.hash), at)
    addEventListener("beforeprint", () => { this.rest(); this.details.open = true }, at)
    document.addEventListener("click", e => this.follow(e.target.closest?.("a[href*='#']")?.hash), at)
    this.follow(location.hash)
  }

  disconnectedCallback() {
    this.leave.abort()
    this.pause()
    this.mark?.remove()
  }

  build() {
    const all = selector => [...this.querySelectorAll(selector)]
    this.words = this.dataset.words.split("|")
    this.items = all("li")
    this.steps = this.items.map(item => ({
      line: +item.dataset.l, touches: (item.dataset.t || "").split(" "), changes: JSON.parse(item.dataset.s || "{}"),
    }))
    this.slots = {}
    this.parts = {}
    for (const part of all("svg [data-k]")) {
      const table = part.matches("g, path") ? this.parts : this.slots
      ;(table[part.dataset.k] ??= []).push(part)
    }
    this.details = this.querySelector("details")
    this.details.open = false
    this.graph = this.querySelector(".graph")
    this.bar = document.createElement("div")
    this.bar.className = "player"
    const icons = ["M5 4h3v16H5zM20 4v16L9 12z", "M17 4v16L6 12z", "M7 4v16l13-8z", "M7 4v16l11-8z", "M16 4h3v16h-3zM4 4v16l11-8z"]
    const names = [0, 1, 2, 4, 5]
    const moves = [() => 1, () => this.now - 1, null, () => this.now + 1, () => this.items.length]
    this.buttons = icons.map((icon, i) => {
      const button = document.createElement("button")
      button.type = "button"
      button.innerHTML = `<svg viewBox="0 0 24 24" aria-hidden="true"><path d="${icon}"/></svg>`
      button.onclick = () => moves[i] ? this.go(moves[i]()) : this.timer ? this.pause() : this.play()
      this.bar.append(button)
      this.name(button, names[i])
      return button
    })
    this.slider = Object.assign(document.createElement("input"), { type: "range", min: 1, max: this.items.length })
    this.slider.setAttribute("aria-label", this.words[6])
    this.slider.oninput = () => this.go(+this.slider.value)
    this.count = document.createElement("output")
    this.told = document.createElement("p")
    this.bar.append(this.slider, this.count, this.told)
    this.graph.after(this.bar)
    this.onkeydown = e => this.key(e)
    this.rest()
  }

  name(button, word) {
    button.title = this.words[word]
    button.setAttribute("aria-label", this.words[word])
  }

  // The finished graph, as it stands without a script.
  rest() {
    this.pause()
    this.show(this.items.length)
    this.now = this.items.length + 1
    for (const part of this.querySelectorAll("svg .on")) part.classList.remove("on")
    this.mark?.remove()
    this.slider.setAttribute("aria-valuetext", this.words[9])
    this.count.textContent = ""
    this.told.textContent = this.words[9]
    this.told.setAttribute("aria-live", "off")
  }

  // What a step shows is the sum of all changes up to it, however the reader came there.
  show(n) {
    const state = {}, seen = new Set()
    for (const step of this.steps.slice(0, n)) {
      Object.assign(state, step.changes)
      step.touches.forEach(key => seen.add(key))
    }
    const on = new Set(this.steps[n - 1].touches)
    for (const key in this.slots) {
      const lines = (state[key] || "").split("\n")
      this.slots[key].forEach((part, i) => { part.textContent = lines[i] || "" })
    }
    for (const key in this.parts) for (const part of this.parts[key]) {
      part.classList.toggle("on", on.has(key))
      part.classList.toggle("off", n < this.steps.length && !seen.has(key))
    }
    this.now = this.slider.value = n
  }

  go(n) {
    n = Math.max(1, Math.min(this.items.length, n))
    this.show(n)
    const item = this.items[n - 1], { line } = this.steps[n - 1], code = this.line(line)
    this.told.setAttribute("aria-live", this.timer ? "off" : "polite")
    this.told.innerHTML = item.innerHTML
    if (line) {
      const where = document.createElement("small")
      where.append(this.words[8].replace("#", line) + " ", Object.assign(document.createElement("code"), { textContent: code }))
      this.told.prepend(where)
    }
    this.count.textContent = `${n} / ${this.items.length}`
    this.slider.setAttribute("aria-valuetext", `${this.words[7].replace("#", n)}: ${item.textContent}`)
    const box = this.graph.getBoundingClientRect(), card = this.querySelector("g.on, path.on")?.getBoundingClientRect()
    if (card && (card.left < box.left || card.right > box.right))
      this.graph.scrollLeft += (card.left + card.right - box.left - box.right) / 2
  }

  // Marks a line of the script above the figure, and gives its text.
  line(number) {
    this.mark?.remove()
    let block = this.closest(".trace").previousElementSibling
    while (block && !block.querySelector(":scope > .filename + pre, :scope > pre + .filename, :scope > .filename ~ pre")) block = block.previousElementSibling
    while (block?.matches(".output")) block = block.previousElementSibling
    const code = block?.querySelector("pre > code"), lines = code?.textContent.split("\n")
    if (!number || !code || number > lines.length) return ""
    const start = lines.slice(0, number - 1).join("\n").length + (number > 1), text = lines[number - 1]
    const range = document.createRange(), walker = document.createTreeWalker(code, NodeFilter.SHOW_TEXT)
    for (let node, at = 0, from = start, to = start + text.length; (node = walker.nextNode()); at += node.length) {
      if (from >= at && from < at + node.length) range.setStart(node, from - at)
      if (to > at && to <= at + node.length) range.setEnd(node, to - at)
    }
    const pre = code.parentElement, rect = range.getBoundingClientRect(), size = parseFloat(getComputedStyle(pre).fontSize)
    this.mark = document.createElement("div")
    this.mark.className = "trace-line"
    this.mark.style.top = (rect.top - pre.getBoundingClientRect().top) / size + "em"
    this.mark.style.height = rect.height / size + "em"
    pre.append(this.mark)
    return text.trim()
  }

  key(e) {
    if (e.altKey || e.ctrlKey || e.metaKey || e.shiftKey || e.target == this.slider) return
    if (e.target == this.graph && this.graph.scrollWidth > this.graph.clientWidth) return
    const n = { ArrowRight: this.now + 1, ArrowLeft: this.now - 1, Home: 1, End: this.items.length }[e.key]
    if (n === undefined || e.target.closest("details")) return
    e.preventDefault()
    this.pause()
    this.go(n)
  }

  play() {
    if (this.now >= this.items.length) this.now = 0
    this.timer = setInterval(() => this.now < this.items.length ? this.go(this.now + 1) : this.pause(), 1800)
    this.go(this.now + 1)
    this.face("M6 4h4v16H6zM14 4h4v16h-4z", 3)
  }

  pause() {
    clearInterval(this.timer)
    this.timer = 0
    this.face("M7 4v16l13-8z", 2)
  }

  face(icon, word) {
    if (!this.buttons) return
    this.buttons[2].querySelector("path").setAttribute("d", icon)
    this.name(this.buttons[2], word)
  }

  follow(hash) {
    const n = this.items.findIndex(item => hash && "#" + item.id == hash)
    if (n < 0) return
    this.go(n + 1)
    setTimeout(() => { this.details.open = false; this.scrollIntoView({ block: "nearest" }) })
  }
})
