// What a reader typed, as a query for lunr. Material 9.8.1 would put a star behind every word ("a*" finds all that
// begins with a), keep words such as "the", and stop reading Chinese at the first word that no page has.
function asQuery(typed, index) {
  const known = index.invertedIndex
  index.pipeline.reset() // its stemmer would shorten once more what is a stem already: "raise", "rais", "rai"
  const small = new Set((
    "a an and are as at be been being between by can could difference do does for from had has have how i if in into " +
    "is it its me my of on or so than that the their then there these this to too us vs was we were what when where " +
    "which who why will with would you your 的 了 吗 呢 吧 啊 是 在 和 与 或 把 被 也 都 就 还 要 会 该 我 你 它 " +
    "这 那 有 为 到 从 怎 么 为什么 怎么 怎样 如何 什么 哪个 哪里 可以 需要 一个 这个 区别 问题"
  ).split(" "))

  // The longest known words of Chinese; what lies within another is left out, what no page has is passed over.
  function cut(text) {
    const words = []
    for (let start = 0, seen = 0; start < text.length; start++) {
      let end = text.length
      while (end > start && !(text.slice(start, end) in known)) end--
      if (end > seen && end > start) words.push(text.slice(start, seen = end))
    }
    return words.length ? words : [text]
  }

  const words = []
  for (const part of typed.toLowerCase().split(lunr.tokenizer.separator))
    for (const run of part.match(/\p{sc=Han}+|[^\p{sc=Han}]+/gu) || [])
      words.push(...(/\p{sc=Han}/u.test(run) ? cut(run) : [run]))
  const kind = /^(runtime|value|type|attribute|key|index|assertion|recursion)error$|^(user|future)warning$/
  const large = words.filter(word => !small.has(word) && !kind.test(word) && (word.length > 1 || /\d/.test(word)))
  const asked = [...new Set(large.length ? large : words)].filter(Boolean)
  return asked.map((word, at) => {
    const stem = /^[a-z]{4,}$/.test(word) ? lunr.stemmer(new lunr.Token(word)).toString() : word
    const found = [stem, word].find(form => form in known)
    // The last word may be half a word. Elsewhere a star would let a word count as often as it has endings.
    if (found && at < asked.length - 1) return `${found}^9`
    return found ? `${found}^9 ${found}*` : `${stem}*`
  }).join(" ")
}
