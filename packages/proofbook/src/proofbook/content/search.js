// The search of Material, made to answer whole questions. It begins the worker that searches: Material still reads the
// index (with `named`, then a `Ranking` is made of it) and shows what `answers` finds; lunr's own order is not used.
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
const TAG_OR_ENTITY = /<[^>]*>|&(lt|gt|amp);/g
const ENTITIES = { lt: "<", gt: ">", amp: "&" }

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

// What takes a text of the index apart, with the words of each name.
function named(tokens) {
  const split = token => wordsOf(token.str).map(word => new lunr.Token(word, token.metadata))
  return text => tokens(text).flatMap(token => /[-_]/.test(token.str) ? split(token) : token)
}

// What was typed, in pieces that are Chinese, or a word or name of other letters.
function piecesOf(text) {
  return text.split(lunr.tokenizer.separator).flatMap(token => token.match(/\p{sc=Han}+|[^\p{sc=Han}]+/gu) || [])
}

// What was typed, as words with their weights, from the most telling use of each.
function readTyped(typed, ranking) {
  const weights = new Map()
  const add = (word, weight) => weights.set(word, Math.max(weight, weights.get(word) || 0))
  let run = []
  const endRun = () => { // neighbors that are one name in the book weigh no more than they do by themselves
    run.forEach((_, from) => [2, 3, 4].forEach(count => {
      const words = run.slice(from, from + count)
      if (words.length === count && ranking.knows(words.join("")))
        add(words.join(""), NEIGHBORS * ranking.atMost(words))
    }))
    run = []
  }
  const text = typed.toLowerCase().replace(NOISE, " ")
  for (const piece of piecesOf(text)) {
    const [whole, ...parts] = HAN.test(piece) ? [piece] : wordsOf(piece)
    if (HAN.test(piece)) {
      endRun()
      for (const word of ranking.cut(piece)) add(word, ranking.weight(word))
    } else if (parts.length) {
      endRun()
      const known = ranking.knows(whole)
      for (const part of parts) add(part, ranking.weight(part) * (known ? PART / parts.length : 1))
      add(whole, ranking.atMost(parts, whole))
      if (!known) run = parts
    } else if (whole) {
      add(whole, ranking.weight(whole))
      run.push(whole)
    }
  }
  endRun()
  for (const [typed, own] of ranking.ownWords(text)) {
    for (const word of typed) if (weights.has(word)) weights.set(word, OTHER_NAME * weights.get(word))
    for (const word of own) add(word, OTHER_NAME * ranking.weight(word))
  }
  const large = [...weights].filter(([word]) => tells(word) && !KIND.test(word))
  return large.length ? large : [...weights]
}

// Whether a word tells something of a subject.
function tells(word) {
  return !SMALL.has(word) && !NUMBER.test(word) && (word.length > 1 || HAN.test(word))
}

class Ranking {
  constructor({ index, map }, config) {
    this.index = index
    this.known = index.invertedIndex
    this.names = config.names || []
    this.stems = (config.pipeline || []).includes("stemmer")
    this.pages = new Map()
    for (const [place, entry] of map) {
      const page = entry.parent ? entry.parent.location : place
      this.pages.set(page, [...(this.pages.get(page) || []), entry])
    }
    this.weights = new Map()
    this.phrases = new Map() // by each of their words
    for (const [page, entries] of this.pages)
      for (const [text, counts] of this.phrasesOf(entries)) this.addPhrase(page, text, counts)
  }

  // What an entry of a page says of itself, and how much it counts; each text once.
  phrasesOf(entries) {
    const found = new Map()
    for (const { title, asked, parent } of entries) {
      found.set(title, parent ? SECTION : 1)
      for (const text of asked ? asked.split(" ¶ ") : []) found.set(text, 1)
    }
    return found
  }

  addPhrase(page, text, counts) {
    const plain = text.replace(TAG_OR_ENTITY, (_, entity) => ENTITIES[entity] || "").toLowerCase()
    const words = new Map()
    for (const token of plain.split(lunr.tokenizer.separator))
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
    return this.stems ? lunr.stemmer(new lunr.Token(word)).toString() : word
  }

  // The form of a word in the index, if it is there.
  form(word) {
    const shorter = /^[a-z]{4,}$/.test(word) ? lunr.stemmer(new lunr.Token(word)).toString() : word
    return [this.stem(word), word, shorter].find(form => form in this.known)
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
        for (const place of Object.keys(this.known[form]?.[field] || {}))
          pages.add(place.split("#")[0])
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
      while (end > start && !(text.slice(start, end) in this.known)) end--
      if (end > seen && end > start) words.push(text.slice(start, seen = end))
    }
    return words.length ? words : [text]
  }

  // The words of each name that was typed of a term, and those of the name that the book has for it.
  ownWords(text) {
    const spaced = ` ${text.split(lunr.tokenizer.separator).join(" ")} `
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
      for (const other of Object.keys(this.known))
        if (other.startsWith(begun) && other !== form) found.push([other, BEGUN])
    return found
  }

  // The entries that answer, as lunr would return them; those of the best page come first.
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
          for (const place of Object.keys(this.known[form][field] || {})) {
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
      entries.forEach(({ location, parent }, at) => {
        const within = scores[at] * (parent ? 1 : AS_A_WHOLE) / 1e6 // the order on the page
        if (scores[at]) found.push({ ref: location, score: score + within, matchData: this.marks(location, matches) })
      })
    }
    return found
  }

  // Where an entry has the words, each place once: a word of a name stands where the name does.
  marks(place, matches) {
    const metadata = {}, seen = {}
    for (const form of matches.get(place)) {
      metadata[form] = {}
      for (const field of this.index.fields) {
        const positions = this.known[form][field]?.[place]?.position
        const marked = seen[field] ??= new Set()
        if (positions) metadata[form][field] = { position: positions.filter(at => !marked.has(at) && marked.add(at)) }
      }
    }
    return { metadata }
  }
}

function most(map, key, value) {
  map.set(key, Math.max(value, map.get(key) || 0))
}

function more(map, key, value) {
  map.set(key, value + (map.get(key) || 0))
}

// The entries that answer what was typed; nothing where it has no word.
function answers(typed, { ranking }) {
  const words = readTyped(typed, ranking)
  if (words.length) return ranking.rank(words)
}
