// Lets a reader change numbers of the script above a figure. Each run was recorded; the data of all comes with the first
// touch, and nothing is computed here.
{
const { make } = customElements.get("trace-player")

// The part of a line from one character to another, in an element of its own.
const marked = (line, start, end) => {
  const range = document.createRange(), texts = document.createTreeWalker(line, NodeFilter.SHOW_TEXT)
  for (let at = 0, text; (text = texts.nextNode()); at += text.length) {
    if (at <= start && start < at + text.length) range.setStart(text, start - at)
    if (at < end && end <= at + text.length) { range.setEnd(text, end - at); break }
  }
  const mark = make("span", { className: "varied" })
  mark.append(range.extractContents())
  range.insertNode(mark)
  return mark
}

// The numbers in a line of the output, as prose writes them: 60 for 60. and 60.0
const numbers = line => [...line.matchAll(/(?:^|[^\w.])(-?(?:\d+\.?\d*(?:e[+-]?\d+)?|nan|inf))/g)].map(([, n]) => n.replace(/\.0*$/, ""))

// What a reader has typed.
const read = text => parseFloat(text.replace("−", "-"))

// What a script has drawn: it has no steps, and each run has a picture of its own.
customElements.get("varied-plot") || customElements.define("varied-plot", class extends customElements.get("trace-player") {
  connectedCallback() {}
  disconnectedCallback() {}
  follow() {}

  // The code above the figure, or that which is folded right below it.
  source() {
    const below = this.parentElement.nextElementSibling
    return below?.matches("details.code") ? below.querySelector("pre > code") : super.source()
  }

  replace(items, picture) {
    this.own ??= this.innerHTML
    if (picture ?? this.shown) this.innerHTML = picture ?? this.own
    this.shown = picture
  }
})

customElements.get("trace-vary") || customElements.define("trace-vary", class extends HTMLElement {
  // What it changes; a stand-alone page has no figure of its own.
  get place() {
    return this.closest("figure") ?? this.parentElement
  }

  connectedCallback() {
    this.gone = new AbortController()
    this.inputs ?? this.build()
    addEventListener("hashchange", () => this.follow(location.hash), this.gone)
    addEventListener("beforeprint", () => this.restore(), this.gone)
    document.addEventListener("values", ({ target }) => target != this && this.share(target), this.gone)
    document.addEventListener("click", e => {
      const link = e.target.closest?.("a[data-values]")
      if (!link?.hash.startsWith(`#${this.place.id}`)) return
      e.preventDefault()
      e.stopPropagation() // the theme would load the page again
      history.replaceState(null, "", `${link.hash}&${link.dataset.values}`)
      this.follow(location.hash)
    }, { capture: true, signal: this.gone.signal })
    this.follow(location.hash)
  }

  disconnectedCallback() {
    this.gone.abort()
  }

  build() {
    this.player = this.place.querySelector("trace-player, varied-plot") ?? this.closest("trace-page")
    customElements.upgrade(this.player) // which stands behind this one: where both are put into a page, it comes later
    this.numbers = JSON.parse(this.dataset.numbers)
    this.words = this.dataset.words.split("|")
    this.address = new URL(this.dataset.src, document.baseURI)
    this.at = this.numbers.map(number => number.own)
    const code = this.player.source(), lines = code.querySelectorAll(".code-line")
    const places = this.numbers.map(({ line, start, end }) => [lines[line - 1], start, end])
    this.marks = places.map(place => marked(...place))
    this.output = this.after(code.closest("details.code") ?? code.closest(".highlight"), ".output").querySelector("code")
    this.printed = this.output.innerHTML
    this.followers = [...document.querySelectorAll(".follows")].flatMap(element => {
      const link = element.closest("a") ?? element.querySelector("a"), line = document.getElementById(link?.hash.slice(1))
      if (!this.output.contains(line)) return []
      const at = numbers(line.textContent).indexOf(numbers(element.textContent.replace("−", "-"))[0])
      return { shows: element.contains(link) ? link : element, row: link.hash.match(/\d+$/) - 1, at }
    })
    this.inputs = this.numbers.map((number, i) => this.control(number, i))
    this.back = make("button", { type: "button", onclick: () => this.restore() })
    this.back.title = this.back.ariaLabel = this.words[2].replace("#", this.numbers.map(({ values, own }) => values[own]).join(", "))
    this.back.textContent = "↺"
    this.note = make("small", { ariaLive: "polite" })
    const pairs = this.inputs.map(both => make("span", { className: "number" }, ...both))
    this.append(make("b", {}, this.words[0]), ...pairs, this.back, this.note)
    for (const touched of ["pointerdown", "focusin"]) this.addEventListener(touched, () => this.load())
    this.hold(this.place.querySelector(".ball")?.closest("div, varied-plot"))
    this.tell()
    this.player.fit() // its bar has a row more
  }

  // The ball of a picture is a handle, too: wherever the pointer drags it, the run whose ball is nearest is shown. A finger
  // takes the ball itself, or taps: beside it, it scrolls the page.
  hold(picture) {
    if (!picture) return
    this.picture = picture
    const at = picture.querySelector("[data-at]")?.dataset.at
    this.places = at && JSON.parse(at)
    picture.onpointerdown = e => {
      if (e.button || e.pointerType != "mouse" && !e.target.closest(".ball")) return
      e.preventDefault()
      picture.setPointerCapture(e.pointerId)
    }
    picture.addEventListener("touchstart", e => e.target.closest(".ball") && e.preventDefault(), { passive: false })
    picture.onpointermove = e => picture.hasPointerCapture(e.pointerId) && this.drag(e)
    picture.onclick = e => this.drag(e)
    picture.onpointerenter = () => this.load()
  }

  async drag({ clientX, clientY }) {
    this.places ??= (await this.load())?.at
    const svg = this.picture.querySelector("svg"), { x, y } = new DOMPoint(clientX, clientY).matrixTransform(svg.getScreenCTM().inverse())
    const off = this.places?.map(place => place.length ? Math.hypot(place[0] - x, place[1] - y) : Infinity) ?? []
    if (off.length && this.run() != off.indexOf(Math.min(...off))) this.set(this.valuesOf(off.indexOf(Math.min(...off))))
  }

  // Another figure of the page shows other values; this one does, too, if it varies the same numbers over the same values.
  share(other) {
    const all = ({ numbers }) => JSON.stringify(numbers.map(({ name, values }) => [name, values]))
    if (all(this) == all(other) && this.at.join() != other.at.join()) this.set([...other.at], "", true)
  }

  control({ label: name, values }, i) {
    const label = this.words[1].replace("#", name), other = (at, said) => this.set(Object.assign([...this.at], { [i]: at }), said)
    const slider = make("input", { type: "range", min: 0, max: values.length - 1, ariaLabel: label })
    const typed = make("input", { inputMode: "decimal", size: 6, ariaLabel: label })
    slider.oninput = () => other(+slider.value)
    typed.onchange = () => {
      const at = this.nearest(i, typed.value), found = read(typed.value) == values[at]
      other(at, found ? "" : this.words[5].replace("#", values[at]))
    }
    typed.onkeydown = e => {
      const step = { ArrowUp: 1, ArrowDown: -1 }[e.key]
      if (step) e.preventDefault(), other(Math.max(0, Math.min(values.length - 1, this.at[i] + step)))
    }
    return [make("label", {}, make("code", {}, `${name} =`), " ", typed), slider]
  }

  // Which of the values of a number is the nearest to what was typed; the present one if that says none.
  nearest(i, text) {
    const wanted = read(text), off = this.numbers[i].values.map(value => Math.abs(value - wanted))
    return isNaN(wanted) ? this.at[i] : off.indexOf(Math.min(...off))
  }

  // What follows the code: its output comes before those of other versions.
  after(block, what) {
    do block = block.nextElementSibling
    while (!block.matches(what))
    return block
  }

  load() {
    return this.data ??= this.player.runs?.() ?? new Promise((loaded, failed) => document.head.append(make("script", {
      src: this.address, onload: () => loaded(globalThis.variedRuns[this.place.id]), onerror: failed,
    }))).catch(() => { this.data = null })
  }

  async set(at, near, shared) {
    this.at = at
    this.tell()
    if (!shared) this.dispatchEvent(new CustomEvent("values", { bubbles: true }))
    const data = await this.load()
    if (!data) return this.note.textContent = this.words[4]
    if (this.at != at) return
    const index = this.run()
    const [picture, printed, ...rest] = data.runs[index].map(n => data.texts[n]), { top } = this.getBoundingClientRect()
    this.player.other = !this.isOwn()
    const said = await this.player.replace(rest, picture, index)
    if (this.at != at) return
    if (this.isOwn()) this.output.innerHTML = this.printed
    else this.output.textContent = printed
    const rows = printed.split("\n")
    for (const { shows, row, at } of this.followers) {
      shows.textContent = numbers(rows[row])[at].replace("-", "−")
      shows.classList.toggle("varied", !this.isOwn())
    }
    if (!shared) scrollBy(0, this.getBoundingClientRect().top - top) // output that takes more lines moves nothing
    this.note.innerHTML = [near, picture && this.words[3], said].filter(Boolean).join(" ")
  }

  restore() {
    if (!this.isOwn()) this.set(this.numbers.map(number => number.own))
  }

  isOwn() {
    return this.numbers.every(({ own }, i) => own == this.at[i])
  }

  // Shows the values that are chosen: in the controls, and in the code.
  tell() {
    this.numbers.forEach(({ values }, i) => {
      const value = values[this.at[i]], [label, slider] = this.inputs[i]
      slider.value = this.at[i]
      slider.ariaValueText = label.lastChild.value = value
      if (this.marks[i].textContent != value) this.marks[i].textContent = value
    })
    this.back.disabled = this.isOwn()
    const place = this.places?.[this.run()], ball = this.picture?.querySelector("[data-at] .ball")
    if (!place || !ball) return
    const [x, y, ...ends] = place
    ball.setAttribute("visibility", place.length ? "visible" : "hidden")
    ball.setAttribute("transform", `translate(${x ?? 0} ${y ?? 0})`)
    ends.forEach((end, i) => ball.firstChild.setAttribute(["x1", "y1", "x2", "y2"][i], end))
  }

  // The values of a run; the last number changes fastest.
  valuesOf(run) {
    return this.numbers.reduceRight((at, { values: { length } }) => {
      at.unshift(run % length)
      run = Math.floor(run / length)
      return at
    }, [])
  }

  // The run with the values that are chosen.
  run() {
    return this.at.reduce((sum, n, i) => sum * this.numbers[i].values.length + n, 0)
  }

  // An address can name values beside the step: #figure-step-7&w=-0.5; so does a link, in its data-values.
  follow(hash) {
    const [id, ...given] = hash?.split("&") ?? []
    if (!id?.startsWith(`#${this.place.id}`)) return
    if (!given.length) return this.player.follow(hash) // once more: these controls were not there yet
    const asked = new URLSearchParams(given.join("&"))
    const at = this.numbers.map(({ name, own }, i) => asked.has(name) ? this.nearest(i, asked.get(name)) : own)
    this.scrollIntoView({ block: "nearest" })
    this.set(at).then(() => this.player.follow(hash))
  }
})
}
