// What answers a reader, in the browser alone: nothing is sent. What was read is kept there, what was guessed is not.
{
const words = [
  [/\b(?:an? )?\w*(?:error|exception)\b|\b(?:it )?raises\b|(?:会|要)?报错|出错|错误/g, "error"],
  [/没有|空值/g, "none"],
  [/^(?:yes|是|会|能)$/, "true"],
  [/^(?:no|不是|不会|不能)$/, "false"],
]
// The values that a reader has typed: "[３０，−６]" is 30 and -6, a fraction is divided.
const values = typed => {
  let text = typed.normalize("NFKC").toLowerCase().replace(/[−–]/g, "-").replace(/[、;]/g, ",").trim()
  for (const [said, meant] of words) text = text.replace(said, meant)
  return text.split(/[\s,[\](){}'"]+|tensor\b/).map(part => part.replace(/^=|[%.。]$/g, "")).filter(Boolean).map(part => {
    const [over, under = 1] = part.split("/").map(Number), number = over / under
    return isNaN(number) ? part : number
  })
}
// As `same` in proofbook/directives/guess.py.
const equal = (one, other) => one === other || Math.abs(one - other) <= 5e-3 * Math.max(Math.abs(one), Math.abs(other))
const same = (some, others) => some.length === others.length && some.every((one, i) => equal(one, others[i]))

customElements.get("reader-guess") || customElements.define("reader-guess", class extends HTMLElement {
  connectedCallback() {
    this.onsubmit = e => {
      e.preventDefault()
      this.judge((e.submitter?.value || this.querySelector("input")?.value || "").trim())
    }
    const show = this.querySelector(".show")
    if (show) show.onclick = () => this.end()
  }

  judge(typed) {
    if (!typed) return this.querySelector("input")?.focus()
    const guess = values(typed), answer = values(this.dataset.answer), replies = [...this.querySelectorAll("[role=status] p")]
    const of = kind => replies.find(reply => reply.className === kind)
    const right = same(guess, answer)
    const known = replies.find(({ dataset }) => dataset.guess && same(guess, values(dataset.guess)))
    const reply = right ? of("right") : known ?? (guess.length !== answer.length && of("count") || of("other"))
    for (const each of replies) each.hidden = each !== reply
    this.dataset.judged = reply.className
    for (const button of this.querySelectorAll("[name=guess][value]")) button.ariaPressed = button.value === typed
    if (right) this.end()
  }

  // The answer below is opened, or the output is shown.
  end() {
    this.dataset.ended = ""
    const answer = this.closest(".question")?.querySelector("details.answer")
    if (answer) answer.open = true
  }
})

// Which lessons of a part were read to their end. Where nothing can be stored, nothing is shown.
const KEY = "lessonsRead"
customElements.get("reader-progress") || customElements.define("reader-progress", class extends HTMLElement {
  connectedCallback() {
    this.lessons = JSON.parse(this.dataset.lessons)
    try {
      this.read = new Set(JSON.parse(localStorage[KEY] ?? "[]"))
      localStorage[KEY] = JSON.stringify([...this.read])
    } catch { return }
    this.show()
    const { page } = this.dataset, end = [...this.parentElement.children].findLast(each => each.tagName !== "SCRIPT")
    if (!this.lessons.some(([name]) => name === page) || this.read.has(page)) return
    // For a moment: while a page replaces another one, its end may be in sight.
    this.observer = new IntersectionObserver(([{ isIntersecting: seen }]) => {
      clearTimeout(this.timer)
      if (seen) this.timer = setTimeout(() => this.end(page), 1000)
    })
    this.observer.observe(end)
  }

  disconnectedCallback() {
    this.observer?.disconnect()
    clearTimeout(this.timer)
  }

  end(page) {
    this.disconnectedCallback()
    this.read.add(page)
    try { localStorage[KEY] = JSON.stringify([...this.read]) } catch {}
    this.show()
  }

  show() {
    const { page, label, next, read } = this.dataset, { lessons } = this
    const bar = document.createElement("progress"), left = lessons.findIndex(([name]) => !this.read.has(name))
    bar.max = lessons.length
    bar.value = lessons.filter(([name]) => this.read.has(name)).length
    bar.ariaLabel = label.replace("{read}", bar.value).replace("{pages}", bar.max)
    bar.title = bar.ariaLabel
    this.replaceChildren(bar)
    if (!bar.value || lessons.some(([name]) => name === page)) return
    if (left >= 0) {
      const link = document.createElement("a")
      link.href = lessons[left][1]
      link.textContent = next.replace("{number}", left + 1)
      this.append(link)
    }
    const addresses = new Set(lessons.filter(([name]) => this.read.has(name)).map(([, to]) => new URL(to, location).href))
    for (const link of this.parentElement.querySelectorAll("ol > li > a:first-child")) {
      if (!addresses.has(link.href)) continue
      const mark = document.createElement("span")
      mark.className = "read"
      mark.role = "img"
      mark.ariaLabel = read
      link.after(mark)
    }
  }
})

// A figure whose events lead to sections of the page: the one that is chosen stands below the figure, the others are put
// away. Arrow keys go through the events in their order.
customElements.get("reader-choice") || customElements.define("reader-choice", class extends HTMLElement {
  connectedCallback() {
    this.links ??= [...this.querySelectorAll("a[href*='#']")]
    this.sections ??= new Map(this.links.map(({ hash }) => [hash.slice(1), null]))
    for (const [id, known] of this.sections) {
      const heading = document.getElementById(id)
      if (known || !heading) continue
      const section = document.createElement("section"), parts = [heading]
      while (parts.at(-1).nextElementSibling?.matches(":not(h1, h2, h3, nav, script)")) parts.push(parts.at(-1).nextElementSibling)
      section.append(...parts)
      this.sections.set(id, section)
    }
    this.append(...this.sections.values())
    this.onclick = event => {
      const link = event.target.closest("figure a")
      if (!link) return
      event.preventDefault()
      event.stopPropagation()
      history.replaceState(history.state, "", link.hash)
      this.choose(link)
      const { top } = this.sections.get(link.hash.slice(1)).getBoundingClientRect(), above = innerHeight * 0.6
      if (top > above) scrollBy({ top: top - above, behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" })
    }
    this.onkeydown = event => {
      const by = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key], at = this.links.indexOf(event.target)
      if (!by || at < 0) return
      event.preventDefault()
      const link = this.links.at((at + by) % this.links.length)
      link.focus({ preventScroll: true })
      link.click()
    }
    this.follow = () => {
      const link = this.links.find(({ hash }) => hash === location.hash)
      if (link) this.choose(link), this.sections.get(link.hash.slice(1)).scrollIntoView()
    }
    addEventListener("hashchange", this.follow)
    this.choose(this.links[0])
    this.follow()
  }

  disconnectedCallback() { removeEventListener("hashchange", this.follow) }

  choose(chosen) {
    for (const [id, section] of this.sections) section.classList.toggle("unchosen", chosen.hash !== "#" + id)
    for (const link of this.links) link.ariaCurrent = link === chosen ? "true" : null
  }
})

// A reader's own version of PyTorch: what it prints instead of the book's is unfolded, on each page from then on.
customElements.get("torch-version") || customElements.define("torch-version", class extends HTMLElement {
  connectedCallback() {
    const { versions, ofBook, label, own } = this.dataset, field = document.createElement("label"), select = document.createElement("select")
    for (const version of versions.split(" ")) select.add(new Option(version === ofBook ? own.replace("{version}", version) : version, version))
    this.told = document.createElement("span")
    this.told.role = "status"
    field.append(label, " ", select)
    this.replaceChildren(field, " ", this.told)
    let kept
    try { kept = localStorage.torchVersion } catch {}
    select.value = versions.split(" ").includes(kept) ? kept : ofBook
    select.onchange = () => {
      try { localStorage.torchVersion = select.value } catch {}
      this.show(select.value)
    }
    this.show(select.value)
  }

  show(version) {
    const { ofBook, opened, none } = this.dataset
    let count = 0
    for (const fold of this.closest("article").querySelectorAll("details.then")) {
      const has = fold.querySelector(".filename")?.textContent.replace("PyTorch ", "").split(", ").includes(version)
      if (has || this.known) fold.open = !!has
      count += !!has
    }
    this.known = true
    this.told.textContent = version === ofBook ? "" : count ? opened.replace("{count}", count) : none
  }
})

// What a term means, or the line that proves a value, without leaving the page: while the pointer is on its link or the
// keys have reached it. A finger's first tap shows it, a second one follows the link.
if (!window.readerSays && HTMLElement.prototype.showPopover) {
  const box = window.readerSays = document.createElement("div")
  let shown, leaving
  box.id = "says"
  box.popover = "manual"
  box.role = "tooltip"
  const asked = target => target.closest?.("a.run [data-to], a.run, a.term")
  const hide = () => {
    if (box.matches(":popover-open")) box.hidePopover()
    shown?.removeAttribute("aria-describedby")
    if (shown?.dataset.title) shown.title = shown.dataset.title
    shown = null
  }
  const show = link => {
    clearTimeout(leaving)
    if (link === shown) return
    hide()
    const { says, to } = link.dataset, id = (to ?? link.hash ?? "").split("#")[1], line = !says && document.getElementById(id)
    const text = says ?? line?.textContent.trim()
    if (!text) return
    const words = document.createElement("div"), proves = !link.matches(".term")
    if (proves) words.className = "line", words.textContent = text
    else text.split("`").forEach((part, i) => words.append(i % 2 ? Object.assign(document.createElement("code"), { textContent: part }) : part))
    box.replaceChildren(words)
    if (link.title) {
      link.dataset.title = link.title
      link.title = ""
    }
    if (proves) box.append(link.dataset.title ?? "")
    link.setAttribute("aria-describedby", box.id)
    ;(link.closest("article") ?? document.body).append(box)
    box.showPopover()
    shown = link
    place()
  }
  const place = () => {
    if (!shown) return
    const { left, top, bottom } = shown.getBoundingClientRect(), below = bottom + box.offsetHeight + 8 < innerHeight
    box.style.top = `${below ? bottom + 6 : top - box.offsetHeight - 6}px`
    box.style.left = `${Math.max(8, Math.min(left, document.documentElement.clientWidth - box.offsetWidth - 8))}px`
  }
  let finger = false, first = null
  addEventListener("pointerdown", e => {
    finger = e.pointerType !== "mouse"
    first = finger && asked(e.target) !== shown ? asked(e.target) : null
    if (!asked(e.target) && !box.contains(e.target)) hide()
  })
  addEventListener("click", e => {
    if (!first || asked(e.target) !== first) return hide()
    show(first)
    if (!shown) return
    e.preventDefault()
    e.stopPropagation()
  }, true)
  addEventListener("pointerover", e => {
    if (e.pointerType !== "mouse") return
    const link = asked(e.target)
    if (link) show(link)
    else if (shown && !box.contains(e.target)) {
      clearTimeout(leaving)
      leaving = setTimeout(hide, 250)
    } else clearTimeout(leaving)
  })
  addEventListener("focusin", e => asked(e.target) && e.target.matches(":focus-visible") ? show(asked(e.target)) : hide())
  addEventListener("keydown", e => e.key === "Escape" && hide())
  addEventListener("scroll", place, { passive: true })
}
}

// Grids whose cells belong together: those of the chosen cell are framed, and the line below them says which they are.
customElements.get("linked-grids") || customElements.define("linked-grids", class extends HTMLElement {
  connectedCallback() {
    const tables = [...this.querySelectorAll("table")]
    Object.assign(this, JSON.parse(this.dataset.links))
    this.grids = tables.map(table => [...table.querySelectorAll("td:not(.note)")])
    this.cells = this.grids.flat()
    this.names = tables.map(table => table.caption.textContent)
    this.linked = new Set(this.groups.flat())
    for (const table of tables) table.role = "grid"
    for (const [n, cell] of this.cells.entries()) if (this.linked.has(n)) cell.tabIndex = -1
    for (const grid of this.grids) this.enter(grid.find(cell => cell.hasAttribute("tabindex")))
    const chosen = this.cells.findIndex(cell => cell.classList.contains("chosen"))
    if (chosen >= 0) this.choose(chosen)
    else this.say(this.words.choose)
    const at = event => this.cells.indexOf(event.target.closest("td"))
    this.onpointermove = event => event.pointerType === "mouse" && this.choose(at(event))
    for (const kind of ["click", "focusin"]) this.addEventListener(kind, event => this.choose(at(event)))
    this.onkeydown = event => this.move(event)
  }

  // One cell of each grid is reached by the tabulator, the others by the arrows.
  enter(cell) {
    if (!cell) return
    for (const other of cell.closest("table").querySelectorAll("[tabindex='0']")) other.tabIndex = -1
    cell.tabIndex = 0
  }

  move(event) {
    const [down, right] = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key] ?? []
    const cell = event.target.closest("td")
    if (down === undefined || !cell) return
    event.preventDefault()
    let row = cell.parentElement, column = cell.cellIndex
    for (let next = cell; ;) {
      row = down < 0 ? row.previousElementSibling : down > 0 ? row.nextElementSibling : row
      next = row?.cells[column += right]
      if (!next) return
      if (next.hasAttribute("tabindex")) return next.focus()
    }
  }

  choose(number) {
    if (!this.linked.has(number) || this.chosen === number) return
    this.chosen = number
    const groups = this.groups.filter(group => group.includes(number)), lit = new Set(groups.flat())
    for (const [n, cell] of this.cells.entries()) {
      cell.classList.toggle("chosen", n === number)
      cell.classList.toggle("lit", n !== number && lit.has(n))
    }
    this.enter(this.cells[number])
    const text = n => this.cells[n].textContent
    const grid = this.grids.findIndex(cells => cells.includes(this.cells[number]))
    const [product] = this.sums.find(([, total]) => total === grid) ?? []
    if (product) {
      const all = groups.filter(group => group[grid] === number).map(group => product.map(n => group[n]).filter(n => n >= 0))
      const terms = all.filter(term => term.length === product.length && term.every(n => Number(text(n))))
      const said = terms.map(term => term.map(n => Number(text(n)) < 0 && term[0] !== n ? `(${text(n)})` : text(n)).join(" × ")).join(" + ")
      const rest = terms.length < all.length ? ` (${this.words.zero})` : ""
      return this.say(`${said || "0"} = ${text(number)}${rest}`)
    }
    const named = new Map()
    for (const n of [...lit].filter(n => n >= 0 && n !== number)) {
      const name = this.cells[n].parentElement.querySelector("th")?.textContent ?? this.names[this.grids.findIndex(cells => cells.includes(this.cells[n]))]
      named.set(name, [...named.get(name) ?? [], n])
    }
    const parts = [...named].map(([name, cells]) => {
      const values = cells.sort((one, other) => one - other).map(text)
      const more = values.length > 9 ? ` … (${this.words.more.replace("{}", values.length)})` : ""
      return `${name}: ${values.slice(0, 9).join(", ")}${more}`
    })
    this.say(`${text(number)} ↔ ${parts.join("; ")}`)
  }

  say(text) {
    this.querySelector(".said").textContent = text
  }
})
