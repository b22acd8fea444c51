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
}
