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
