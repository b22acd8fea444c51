// The stars of the gradient detective: three for each case, kept in this browser alone.
{
const HINT = 1, DOCTOR = 3, REPAIRED = 4 // places among the folds of a case; the first hint is free
const WORDS = {
  zh: { solved: "破案了", worth: n => `还值 ${n} 颗星`, won: n => `得了 ${n} 颗星`, sum: (n, all) => `${all} 颗星里得了 ${n} 颗` },
  en: { solved: "Solved", worth: n => `worth ${n} now`, won: n => `${n} won`, sum: (n, all) => `${n} of ${all} stars` },
}

// Of each case: the folds that were opened (a bit for each), and the stars that were won.
const read = () => { try { return JSON.parse(localStorage.gradientsDetective ?? "{}") } catch { return {} } }
const write = all => { try { localStorage.gradientsDetective = JSON.stringify(all) } catch {} }
const paid = opened => [HINT, HINT + 1, DOCTOR].filter(at => opened >> at & 1).length
const stars = ({ opened = 0, won }) => won ?? (opened >> REPAIRED & 1 ? 0 : 3 - paid(opened))
const drawn = n => "★".repeat(n) + "☆".repeat(3 - n)

document$.subscribe(() => {
  const content = document.querySelector(".md-content article")
  const cases = [...content?.querySelectorAll("h2[id^=case-]") ?? []].map(heading => {
    const folds = []
    let verdict
    for (let at = heading.nextElementSibling; at && at.tagName != "H2"; at = at.nextElementSibling) {
      if (at.matches("details.clue")) folds.push(at)
      if (at.matches(".verdict") || at.querySelector(".verdict")) verdict = at
    }
    return { id: heading.id, folds, verdict }
  })
  if (!cases.length || content.querySelector(".stars")) return
  const words = WORDS[document.documentElement.lang.slice(0, 2)]
  const sum = document.createElement("p")
  sum.className = "stars"
  sum.role = "status"
  content.querySelector("h1").after(sum)
  const show = () => {
    const all = read()
    const won = cases.reduce((so, { id }) => so + (all[id]?.won ?? 0), 0)
    sum.textContent = `★ ${words.sum(won, 3 * cases.length)}`
    for (const { id, button, count } of cases) {
      const kept = all[id] ?? {}, n = stars(kept)
      button.hidden = kept.won !== undefined || n == 0
      count.textContent = `${drawn(n)} ${(button.hidden ? words.won : words.worth)(n)}`
    }
  }
  const change = (id, with_) => {
    const all = read()
    all[id] = with_(all[id] ?? {})
    write(all)
    show()
  }
  for (const each of cases) {
    const row = document.createElement("p")
    row.className = "case-stars"
    each.count = document.createElement("span")
    each.button = document.createElement("button")
    each.button.textContent = words.solved
    each.button.onclick = () => change(each.id, kept => ({ ...kept, won: stars(kept) }))
    row.append(each.count, each.button)
    const above = each.verdict ?? each.folds[0]
    above.after(row)
    // A click, not a toggle: printing opens all folds.
    each.folds.forEach((fold, at) => fold.querySelector("summary").addEventListener("click", () =>
      change(each.id, kept => ({ ...kept, opened: (kept.opened ?? 0) | 1 << at }))))
  }
  show()
})
}
