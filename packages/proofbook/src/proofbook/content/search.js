// The program that searches: `new Search(index).answer(typed)` returns the results, as Material shows them.
//
// What readers type is read as words, each as weighty as it is rare. A page is found by its phrases: its title, those of
// its sections, and each question, message and term that leads to it. A phrase counts by how much of what was typed it
// says, and by how little else; words that stand elsewhere on the page count less.

const SMALL = new Set(( // words that tell nothing of a subject
  "a about am an and any are as at be been being between by can could d did didn difference do does doesn don for from " +
  "get got had has have help how i if in into is isn it its just m me my need needs not of on or please question s " +
  "should so t than that the their them then there these this to too us use used using ve vs want was we were what when " +
  "where which who why will with would you your 的 了 吗 呢 吧 啊 是 在 和 与 或 把 被 也 都 就 还 要 会 该 我 你 它 这 那 有 " +
  "为 到 从 怎 么 不 能 时 后 没有 以后 之后 为什么 为何 怎么 怎样 怎么办 怎么回事 如何 什么 哪个 哪里 可以 能不能 是不是 需要 " +
  "请问 一个 这个 区别 问题 报错").split(" "))
const NOISE = // what surrounds a pasted message, and changes with whoever runs it
  /traceback \(most recent call last\):?|file "[^"]*", line \d+(, in \S+)?|(https?:|github\.com)\S*|0x[0-9a-f]+/gi
const NUMBER = /^[\d.]+$/
const KIND = /^\w*(error|warning|exception)$/
const HAN = /\p{sc=Han}/u
const TAG = /(<[^>]*>)/
const TAG_OR_ENTITY = /<[^>]*>|&(lt|gt|amp);/g
const ENTITIES = { lt: "<", gt: ">", amp: "&" }

const STEP_2 = {
  ational: "ate", tional: "tion", enci: "ence", anci: "ance", izer: "ize", bli: "ble", alli: "al", entli: "ent", eli: "e",
  ousli: "ous", ization: "ize", ation: "ate", ator: "ate", alism: "al", iveness: "ive", fulness: "ful", ousness: "ous",
  aliti: "al", iviti: "ive", biliti: "ble", logi: "log"
}
const STEP_3 = { icate: "ic", ative: "", alize: "al", iciti: "ic", ical: "ic", ful: "", ness: "" }

const FIELDS = { title: 1, asked: 1, text: 0.7, rest: 0.3 } // how much a word of an entry counts for a page
const BESIDE = 0.3 // so much does the entry with the most of the words add to the phrases
const AS_A_WHOLE = 5 // a result shows a section, too, that has so much more of the words than the answer of the page
const SECTION = 0.5 // the title of a section, beside 1 for what leads to it
const BRIEF = 0.4 // 0: a phrase may say anything else besides; 1, as for what the book doesn't have: nothing else
const PART = 0.7 // a word within a name, beside 1 for the whole name
const NEIGHBORS = 0.5 // words that the book writes as one name: "retain graph"
const OTHER_NAME = 0.7 // a name of a term that is not the book's own, and that one, which is looked for as well
const BEGUN = 0.5 // a word that begins with the last one typed

// The words of a name, itself without its marks first: "zerograd", "zero", "grad" of "zero_grad".
function wordsOf(token) {
  if (!/[-_]/.test(token)) return token ? [token] : []
  const name = token.replace(/^[-_]+|[-_]+$/g, "")
  const parts = name.split(/[-_]+/)
  return (parts.length > 1 && !/^[\d-]+$/.test(name) ? [parts.join(""), ...parts] : [name]).filter(Boolean)
}

// What was typed, as words with their weights, from the most telling use of each.
function readTyped(typed, search) {
  const weights = new Map()
  const add = (word, weight) => weights.set(word, Math.max(weight, weights.get(word) || 0))
  let run = []
  const endRun = () => { // neighbors that are one name in the book weigh no more than they do by themselves
    run.forEach((_, from) => [2, 3, 4].forEach(count => {
      const words = run.slice(from, from + count)
      if (words.length === count && search.knows(words.join("")))
        add(words.join(""), NEIGHBORS * search.atMost(words))
    }))
    run = []
  }
  const text = typed.toLowerCase().replace(NOISE, " ")
  for (const piece of search.piecesOf(text)) {
    const [whole, ...parts] = HAN.test(piece) ? [piece] : wordsOf(piece)
    if (HAN.test(piece)) {
      endRun()
      for (const word of search.cut(piece)) add(word, search.weight(word))
    } else if (parts.length) {
      endRun()
      const known = search.knows(whole)
      for (const part of parts) add(part, search.weight(part) * (known ? PART / parts.length : 1))
      add(whole, search.atMost(parts, whole))
      if (!known) run = parts
    } else if (whole) {
      add(whole, search.weight(whole))
      run.push(whole)
    }
  }
  endRun()
  for (const [typed, own] of search.ownWords(text)) {
    for (const word of typed) if (weights.has(word)) weights.set(word, OTHER_NAME * weights.get(word))
    for (const word of own) add(word, OTHER_NAME * search.weight(word))
  }
  const large = [...weights].filter(([word]) => tells(word) && !KIND.test(word))
  return large.length ? large : [...weights]
}

// Whether a word tells something of a subject.
function tells(word) {
  return !SMALL.has(word) && !NUMBER.test(word) && (word.length > 1 || HAN.test(word))
}

class Search {
  constructor({ config, docs }) {
    this.separator = new RegExp(config.separator)
    this.names = config.names || []
    this.stems = (config.pipeline || []).includes("stemmer")
    this.ends = new RegExp(`(${config.separator})`)
    this.formsOfTokens = new Map()
    this.pages = new Map() // the entries of each page, its own first
    this.known = new Map() // the places with each form of a word, by field
    for (const entry of docs) {
      const [page] = entry.location.split("#")
      if (!this.pages.has(page)) this.pages.set(page, [])
      this.pages.get(page).push(entry)
      for (const field of Object.keys(FIELDS))
        for (const token of this.tokensOf(entry[field] || ""))
          for (const form of this.formsOf(token)) this.addForm(form, field, entry.location)
    }
    this.weights = new Map()
    this.phrases = new Map() // by each of their words
    for (const [page, entries] of this.pages)
      for (const [text, counts] of this.phrasesOf(entries)) this.addPhrase(page, text, counts)
  }

  // The results for what was typed, those of one page together, the best first; undefined where it has no word.
  answer(typed) {
    const words = readTyped(typed, this), groups = new Map()
    if (!words.length) return
    for (const { page, entry, score, forms } of this.rank(words).sort((a, b) => b.score - a.score)) {
      const own = entry === this.pages.get(page)[0]
      const title = this.mark(entry.title, forms), text = own ? this.mark(entry.text, forms) : this.excerpt(entry.text, forms)
      if (!groups.has(page)) groups.set(page, [])
      groups.get(page).push({ location: entry.location, title, text, score, terms: {} })
    }
    for (const [page, results] of groups) {
      const { location, title, text } = this.pages.get(page)[0]
      if (!results.some(result => result.location === location)) results.push({ location, title, text, score: 0, terms: {} })
      // Where a section is the better result, Material shows only the title of its page: the answer goes with it.
      for (const result of results.slice(1))
        if (result.location === location)
          result.title += `<span class="answer">${result.text.replace(/<\/?p>/g, "")}</span>`
    }
    return [...groups.values()]
  }

  addForm(form, field, place) {
    if (!this.known.has(form)) this.known.set(form, {})
    const places = this.known.get(form)
    ;(places[field] ??= new Set()).add(place)
  }

  // The words and names of a text of the index.
  tokensOf(html) {
    return html.split(TAG).flatMap((part, at) => at % 2 ? [] : part.split(this.separator))
  }

  // A token as it is in the index: the words of a name, itself first.
  formsOf(token) {
    if (!this.formsOfTokens.has(token))
      this.formsOfTokens.set(token, wordsOf(token.toLowerCase()).map(word => this.stem(word)))
    return this.formsOfTokens.get(token)
  }

  // What was typed, in pieces that are Chinese, or a word or name of other letters.
  piecesOf(text) {
    return text.split(this.separator).flatMap(token => token.match(/\p{sc=Han}+|[^\p{sc=Han}]+/gu) || [])
  }

  // A text with the words and names of these forms marked.
  mark(html, forms) {
    const marked = token => this.formsOf(token).some(form => forms.has(form)) ? `<mark>${token}</mark>` : token
    const markText = text => text.split(this.ends).map((part, at) => at % 2 ? part : marked(part)).join("")
    return html.split(TAG).map((part, at) => at % 2 ? part : markText(part)).join("")
  }

  // Of a text, the first two blocks in which something is marked; all of it where nothing is.
  excerpt(html, forms) {
    const blocks = blocksOf(html), marked = blocks.map(block => this.mark(block, forms))
    return marked.filter((block, at) => block !== blocks[at]).slice(0, 2).join("") || html
  }

  // What an entry of a page says of itself, and how much it counts; each text once.
  phrasesOf(entries) {
    const found = new Map()
    for (const { title, asked } of entries) {
      found.set(title, found.size ? SECTION : 1)
      for (const text of asked ? asked.split(" ¶ ") : []) found.set(text, 1)
    }
    return found
  }

  addPhrase(page, text, counts) {
    const plain = text.replace(TAG_OR_ENTITY, (_, entity) => ENTITIES[entity] || "").toLowerCase()
    const words = new Map()
    for (const token of plain.split(this.separator))
      wordsOf(token).forEach((word, at) => {
        if (tells(word)) words.set(this.stem(word), at ? PART : 1)
      })
    const phrase = { page, counts, says: 0, brief: page.includes("://") ? 1 : BRIEF }
    for (const [word, part] of words) {
      phrase.says += part * this.weight(word)
      if (!this.phrases.has(word)) this.phrases.set(word, [])
      this.phrases.get(word).push(phrase)
    }
  }

  stem(word) {
    return this.stems ? stemOf(word) : word
  }

  // The form of a word in the index, if it is there.
  form(word) {
    const shorter = /^[a-z]{4,}$/.test(word) ? stemOf(word) : word
    return [this.stem(word), word, shorter].find(form => this.known.has(form))
  }

  knows(word) {
    return this.form(word) !== undefined
  }

  // The rarer a word is among the pages of the book, the more it tells.
  weight(word) {
    const form = this.form(word)
    if (!this.weights.has(form)) {
      const pages = new Set()
      for (const field of Object.keys(FIELDS))
        for (const place of this.known.get(form)?.[field] || []) pages.add(place.split("#")[0])
      this.weights.set(form, Math.log(1 + (this.pages.size + 1) / (pages.size + 0.5)))
    }
    return this.weights.get(form)
  }

  // The weight of a whole name, not more than that of its words together.
  atMost(words, whole = words.join("")) {
    const sum = words.filter(word => !SMALL.has(word)).reduce((sum, word) => sum + this.weight(word), 0)
    return Math.min(this.weight(whole), sum)
  }

  // The longest known words of a Chinese text; what lies within another is left out, what no page has is passed over.
  cut(text) {
    const words = []
    for (let start = 0, seen = 0; start < text.length; start++) {
      let end = text.length
      while (end > start && !this.known.has(text.slice(start, end))) end--
      if (end > seen && end > start) words.push(text.slice(start, seen = end))
    }
    return words.length ? words : [text]
  }

  // The words of each name that was typed of a term, and those of the name that the book has for it.
  ownWords(text) {
    const spaced = ` ${text.split(this.separator).join(" ")} `
    const typed = name => HAN.test(name) ? text.includes(name) : spaced.includes(` ${name} `)
    const words = name => name.split(/[\s-]+/).flatMap(word => HAN.test(word) ? this.cut(word) : [word])
    const found = []
    for (const [own, ...others] of this.names) {
      const other = typed(own) ? undefined : others.find(typed)
      if (other) found.push([words(other), words(own)])
    }
    return found
  }

  // Every form of a word in the index, with how much it counts; the last word may be half a word.
  forms(word, last) {
    const form = this.form(word)
    const found = form === undefined ? [] : [[form, 1]]
    const begun = form ?? this.stem(word)
    if (form === undefined || last)
      for (const other of this.known.keys())
        if (other.startsWith(begun) && other !== form) found.push([other, BEGUN])
    return found
  }

  // The entries that answer, each with its page, its score and the forms of words that it has.
  rank(words) {
    const inPhrases = new Map(), inEntries = new Map(), matches = new Map()
    let all = 0
    words.forEach(([word, weight], at) => {
      const forms = this.forms(word, at === words.length - 1)
      if (forms.length) all += weight
      const phrases = new Map(), entries = new Map()
      for (const [form, counts] of forms) {
        for (const phrase of this.phrases.get(form) || []) most(phrases, phrase, counts)
        for (const [field, value] of Object.entries(FIELDS))
          for (const place of this.known.get(form)[field] || []) {
            most(entries, place, value * counts)
            if (!matches.has(place)) matches.set(place, new Set())
            matches.get(place).add(form)
          }
      }
      for (const [phrase, counts] of phrases) more(inPhrases, phrase, weight * counts)
      for (const [place, counts] of entries) more(inEntries, place, weight * counts)
    })
    const pages = new Map()
    for (const [phrase, said] of inPhrases) {
      const score = phrase.counts * said / all * Math.min(1, said / phrase.says) ** phrase.brief
      more(pages, phrase.page, score ** 2)
    }
    const found = []
    for (const [page, entries] of this.pages) {
      const scores = entries.map(({ location }) => (inEntries.get(location) || 0) / all)
      const score = (entries[0].boost || 1) * (Math.sqrt(pages.get(page) || 0) + BESIDE * Math.max(...scores))
      entries.forEach((entry, at) => {
        const within = scores[at] * (at ? 1 : AS_A_WHOLE) / 1e6 // the order on the page
        if (scores[at]) found.push({ page, entry, score: score + within, forms: matches.get(entry.location) })
      })
    }
    return found
  }
}

function most(map, key, value) {
  map.set(key, Math.max(value, map.get(key) || 0))
}

function more(map, key, value) {
  map.set(key, value + (map.get(key) || 0))
}

// The outermost elements of a text, each with what stands before it.
function blocksOf(html) {
  const blocks = []
  let depth = 0, start = 0, end = 0
  for (const part of html.split(TAG)) {
    end += part.length
    if (part.startsWith("<")) depth += part[1] === "/" ? -1 : 1
    if (!depth && part.startsWith("</")) blocks.push(html.slice(start, start = end))
  }
  return start < html.length ? [...blocks, html.slice(start)] : blocks
}

// The stem of an English word, by the algorithm of Martin Porter.
const [consonants, vowels] = ["[^aeiou][^aeiouy]*", "[aeiouy][aeiou]*"], start = `^(${consonants})?`
const has = pattern => RegExp.prototype.test.bind(new RegExp(pattern))
const vowel = has(`${start}[aeiouy]`), once = has(start + vowels + consonants)
const onlyOnce = has(`${start}${vowels}${consonants}(${vowels})?$`)
const twice = has(start + vowels + consonants + vowels + consonants)
const short = has(`^${consonants}[aeiouy][^aeiouwxy]$`)
const end = ends => new RegExp(`^(.+?)(${ends})$`)
const ENDS = {
  eed: end("eed"), past: end("ed|ing"), e: end("e"),
  step2: end(Object.keys(STEP_2).join("|")), step3: end(Object.keys(STEP_3).join("|")),
  step4: end("al|ance|ence|er|ic|able|ible|ant|ement|ment|ent|ou|ism|ate|iti|ous|ive|ize")
}

function stemOf(word) {
  if (word.length < 3) return word
  let w = word.replace(/^y/, "Y")
  // Replaces an end where what is before it passes; returns whether there was such an end.
  const replace = (end, passes, by) => {
    const found = w.match(end)
    if (found && passes(found[1])) w = found[1] + (typeof by === "object" ? by[found[2]] : by)
    return found
  }
  w = w.replace(/^(.+?)(ss|i)es$/, "$1$2").replace(/^(.+?)([^s])s$/, "$1$2")
  if (!replace(ENDS.eed, once, "ee")) {
    const before = w
    replace(ENDS.past, vowel, "")
    if (w !== before)
      if (/(at|bl|iz)$/.test(w)) w += "e"
      else if (/([^aeiouylsz])\1$/.test(w)) w = w.slice(0, -1)
      else if (short(w)) w += "e"
  }
  w = w.replace(/^(.+?[^aeiou])y$/, "$1i")
  replace(ENDS.step2, once, STEP_2)
  replace(ENDS.step3, once, STEP_3)
  if (!replace(ENDS.step4, twice, "")) {
    const found = w.match(/^(.+?[st])ion$/)
    if (found && twice(found[1])) w = found[1]
  }
  replace(ENDS.e, stem => twice(stem) || onlyOnce(stem) && !short(stem), "")
  if (/ll$/.test(w) && twice(w)) w = w.slice(0, -1)
  return w.replace(/^Y/, "y")
}
