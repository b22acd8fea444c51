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
