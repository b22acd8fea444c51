// A page with all of a recording: a player whose picture is folded, with zoom, search and the code beside it.
const FOLLOW = icon("M4 4h12v2H6v10H4zM9 9l6 6v-4h2v8H9v-2h4l-5-5z")
const FIT = icon("M4 4h6v2H6v4H4zM14 4h6v6h-2V6h-4zM4 14h2v4h4v2H4zM18 14h2v6h-6v-2h4z")
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
    const [where, back, search, out, fit, into, follow, theme, which, file, nothing] = this.dataset.tools.split("|")
    this.zoom = new Zoom(this.querySelector(".graph"), this.gone.signal)
    this.files = new CodePane(this.querySelector(".highlight"), file)
    this.trail = new Trail(where, back, view => this.open(view))
    this.search = new Search(search, nothing, text => findIn(this.current, text), hit => this.reach(hit))
    this.follower = button(follow, FOLLOW, () => this.followInside())
    this.follower.ariaPressed = "false"
    const bar = element("div", { className: "tools" }, this.trail.nav, this.search.part, this.follower,
      button(out, "−", () => this.zoom.step(-1)), button(fit, FIT, () => this.zoom.fit()),
      button(into, "+", () => this.zoom.step(1)))
    if (this.recorded.length > 1) {
      this.select = choice(which, this.recorded.map(({ dataset }, i) => [i, dataset.label]))
      this.select.onchange = () => this.choose(+this.select.value)
      bar.prepend(this.select)
    }
    this.querySelector(".graph").before(bar)
    this.querySelector("header").prepend(button(theme, THEME, () => this.turnTheme()))
    super.build()
    this.list.ontoggle = () => this.fillList()
    addEventListener("beforeprint", () => { this.list.open = true; this.fillList() }, { signal: this.gone.signal })
    this.graph.onclick = e => this.enter(e.target.closest("[role=button]"))
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
    if (step.line) this.code(step.line, step.file)
    this.aim()
  }

  // A stub for one use of a box has the key of its edge.
  enter(box) {
    if (!box) return
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
