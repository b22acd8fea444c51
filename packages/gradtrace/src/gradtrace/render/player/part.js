// What the page holds of a recording, unpacked: each part has its steps, and a picture of each group of boxes.
const unpack = async text => {
  const bytes = Uint8Array.from(atob(text), c => c.charCodeAt(0))
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"))).json()
}

// Texts of which many are alike but for their numbers, which are in columns; each is made when it is asked for.
const texts = ([templates, which, columns]) => {
  const numbers = columns.map(own => own.map(column => column.split(" "))), used = templates.map(() => 0)
  return which.map(kind => {
    const row = used[kind]++
    return () => { let place = 0; return templates[kind].replace(/\x7f/g, () => numbers[kind][place++][row]) }
  })
}

// Gives keys their numbers, which are counted from the one before.
const absolute = () => {
  const last = {}
  return text => text.replace(/([a-z]+)(-?\d+)/g, (_, kind, step) => kind + (last[kind] = (last[kind] ?? 0) + +step))
}

// What is packed of a part: gives it for a run, of which there is one, or one for each choice of numbers.
const partOfRuns = ({ told, views, runs, kept, ...own }) => {
  const sentences = texts(told), pictures = texts(views), made = []
  const make = run => {
    if (!runs) return new Part({ ...own, told: sentences, views: pictures })
    const [from, first, others] = runs[run]
    const data = Object.fromEntries(Object.entries(others).map(([name, n]) => [name, kept[n]]))
    const of = (all, at, { length }) => all.slice(at, at + length)
    return new Part({ ...data, told: of(sentences, from, data.steps[0]), views: of(pictures, first, data.members) })
  }
  return run => made[run] ??= make(run)
}

class Part {
  constructor(data) {
    Object.assign(this, { words: data.words.split("|"), caption: data.caption, summary: data.summary })
    ;[this.firstView, this.failing] = data.start
    const linked = absolute(), inside = absolute(), pictures = data.views
    const edges = data.ends.map(row => row.split(" ").map(linked))
    this.ends = Object.fromEntries(edges.map(([key, ...ends]) => [key, ends]))
    const groups = data.members.map(row => inside(row).split(" "))
    this.pictures = Object.fromEntries(groups.map(([group], i) => [group, pictures[i]]))
    this.up = {}
    this.names = {}
    let box = 0
    groups.forEach(([group, ...members], i) => {
      this.names[group] = data.groups[i]
      for (const member of members) {
        this.up[member] = group
        if (!this.isGroup(member)) this.names[member] = data.boxes[box++]
      }
    })
    this.steps = this.told(data.told, data.steps)
  }

  // The texts that a step changes, each after the key of its slot, come before its sentence.
  told(sentences, [lines, files, touches, back, passes]) {
    const touched = absolute(), changed = absolute()
    return sentences.map((text, i) => {
      const [slots, html] = text().split("\x1e"), changes = slots ? slots.split("\x1f") : []
      return {
        get item() { return element("li", { innerHTML: html }) }, // thousands take too long at once
        id: `#step-${i + 1}`, line: lines[i], file: files[i], up: back[i], pass: passes[i],
        touches: touches[i] ? touches[i].split(" ").map(touched) : [],
        changes: Object.fromEntries(changes.map(slot => {
          const [key] = slot.split(" ", 1)
          return [changed(key), slot.slice(key.length + 1)]
        })),
      }
    })
  }

  isGroup(key) {
    return key in this.pictures
  }

  picture(group) {
    return this.pictures[group]().replace(/(?<=data-k=")[^"]+/g, absolute())
  }

  // The groups that hold something, itself first.
  around(key) {
    const found = []
    for (let at = key; at; at = this.up[at]) found.push(at)
    return found
  }

  // The names of these, from the outside in, without the outermost.
  path(key) {
    return this.around(key).slice(0, -1).reverse().map(one => this.names[one][0])
  }

  // The boxes that a step is about, without edges.
  boxes(step) {
    return step.touches.filter(key => this.up[key])
  }
}
