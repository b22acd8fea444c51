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
