"""The search: excerpts of pages, and words of the glossary and of readers' questions."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from proofbook.content.glossary import Terms
from proofbook.content.messages import Message
from proofbook.content.page_summary import answer
from proofbook.content.questions import Question
from proofbook.model.config import in_language
from proofbook.model.page import Page, external_links

FIELD = "asked"
"""The field of an entry with the words that readers type; `search.js` sets its weight."""

BETWEEN = " ¶ "
"""The separator of the texts in that field."""

REST = "rest"
"""The field with text that is searched but not shown in a result: scripts, and the text of a page
below its answer and above its first section."""

MESSAGE_BOOST = 0.75
"""What the score of the page of a message is multiplied by: a lesson of the same words is first."""

_PARAGRAPH = re.compile(r"<p>.*?</p>", re.DOTALL)
_BLOCK_END = re.compile(r"</(?:p|ul|ol)>")
_SHOWN = 300
"""The number of characters of a section that are shown with a result."""
_ENOUGH = 12
"""The number of letters that identify the paragraph of an answer."""
_CODE = re.compile(r"(?:snippets/[\w/.]+\s*)?<pre>.*?</pre>", re.DOTALL)
_TAG = re.compile(r"<[^>]*>")
_NO_WORD = re.compile(r"<[^>]*>|&\w+;|[^\w.]|(?<!\d)\.|\.(?!\d)")
_OFFICIAL = "pytorch.org/"
HAN = re.compile(r"[\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff]+")
"""Consecutive Chinese characters."""
_ELSEWHERE = {
    "zh": ("这本书里没有：{}", "；", "别处的答案：{}"),
    "en": ("Not in this book: {}", "; ", "Answered elsewhere: {}"),
}
"""For a result about a subject that the book doesn't cover: the title, the separator, the text."""


def own_words(terms: Terms, cut: Callable[[str], Iterable[str]]) -> list[str]:
    """The Chinese terms that `cut` would break into single characters: 雅可比 into 雅 and 可比."""
    chinese = (word for term in terms.all for word in HAN.findall(term.zh))
    return sorted({word for word in chinese if any(len(part) == 1 for part in cut(word))})


def asked_of(
    pages: Iterable[Page], terms: Terms, questions: Sequence[Question], language: str
) -> dict[str, list[str]]:
    """The words that readers type to find a place, by its address: a page, or a section.

    They come from the glossary, from the questions, and from the titles of the threads that a page
    names.
    """
    found: dict[str, list[str]] = {}
    for page in pages:
        if page.language == language:
            found[address(page.name)] = [
                title for title, to in external_links(page) if _OFFICIAL not in to
            ]
    for term in terms.all:
        names = (term.zh, term.en, *term.forms, *term.also, *term.wrong)
        found.setdefault(address(term.page), []).extend(_readable(names, language))
    for question in questions:
        if question.to:
            asked = question.message or question.text(language)
            texts = [asked, *_readable(question.also, language)]
            found.setdefault(address(question.page), []).extend(texts)
            if question.anchor:
                place = f"{address(question.page)}#{question.anchor}"
                found.setdefault(place, []).extend(texts)
    return found


def at_own_pages(
    entries: Iterable[dict], asked: Mapping[str, list[str]], index: str, messages: Sequence[Message]
) -> tuple[list[dict], dict[str, list[str]]]:
    """The entries and the words that lead to them, with the page of each message in place of its
    section of the page at the address `index`, without its run."""
    pages = {f"{index}#{message.anchor}": f"{index}{message.anchor}/" for message in messages}
    moved = {pages.get(place, place): texts for place, texts in asked.items()}
    placed = [
        {
            **e,
            "location": pages[e["location"]],
            "text": _CODE.sub(" ", e["text"]),
            "boost": MESSAGE_BOOST,
        }
        if e["location"] in pages
        else e
        for e in entries
    ]
    return placed, moved


def names_of(terms: Terms, language: str) -> list[list[str]]:
    """The name of each term in a language, and then other words that readers type for it."""
    found = []
    for term in terms.all:
        own = term.zh if language == "zh" else term.en
        names = (own, term.zh, term.en, *term.forms, *term.also, *term.wrong)
        found.append(_readable(dict.fromkeys(name.lower() for name in names), language))
    return found


def _readable(words: Iterable[str], language: str) -> list[str]:
    """Without Chinese words in languages that don't use them."""
    return [word for word in words if word and (language == "zh" or not HAN.search(word))]


def with_asked(
    entries: list[dict], asked: dict[str, list[str]], cut: Callable[[str], Iterable[str]]
) -> list[dict]:
    """The entries of the search index, each with the words that readers type to find it.

    `cut`: segments a Chinese text into words, and the words within them.
    """
    return [
        entry | {FIELD: _phrases(said, cut)} if (said := asked.get(entry["location"])) else entry
        for entry in entries
    ]


def elsewhere(
    questions: Sequence[Question], language: str, cut: Callable[[str], Iterable[str]]
) -> list[dict]:
    """Entries for subjects that the book doesn't cover: they say so, and link to the answer
    elsewhere.

    All entries with the answer on one page are merged. The address has no `#`: Material would look
    for the rest of that page among the entries, and show nothing.
    """
    by_address: dict[str, list[Question]] = {}
    for question in questions:
        if question.see:
            by_address.setdefault(question.see.partition("#")[0], []).append(question)
    title, between, text = in_language(_ELSEWHERE, language)
    return [
        {
            "location": see,
            "title": html.escape(title.format(_plain([q.text(language) for q in asked], between))),
            "text": f"<p>{html.escape(text.format(see.partition('://')[2]))}</p>",
            FIELD: _phrases([w for q in asked for w in (q.zh, q.en, *q.also)], cut),
        }
        for see, asked in by_address.items()
    ]


def _phrases(texts: Iterable[str], cut: Callable[[str], Iterable[str]]) -> str:
    """The readers' texts, each once, split as in the ranking of the search."""
    words = (_plain(["".join(_cut(text, cut))]) for text in dict.fromkeys(filter(None, texts)))
    return html.escape(BETWEEN.join(words), quote=False)


def _plain(texts: Iterable[str], between: str = " ") -> str:
    """Texts as one, without the marks of code, with single blanks."""
    return " ".join(between.join(texts).replace("`", "").split())


def answers_of(pages: Iterable[Page], language: str) -> dict[str, str]:
    """The answers of the pages of a language, by their addresses."""
    return {address(page.name): answer(page) for page in pages if page.language == language}


def with_excerpts(entries: list[dict], answers: Mapping[str, str]) -> list[dict]:
    """The entries, each with a text that a result can show: the paragraph with the answer of a
    page, or the beginning of a section. The rest is in a separate field, each word once."""
    return [_with_excerpt(entry, answers.get(entry["location"], "")) for entry in entries]


def _with_excerpt(entry: dict, said: str) -> dict:
    text = entry["text"]
    if "#" in entry["location"]:
        shown, after = _beginning(_CODE.sub(" ", text))
        rest = " ".join([after, *_CODE.findall(text)])
    else:
        paragraphs = _PARAGRAPH.findall(text)
        begins = _letters(said)[:_ENOUGH]
        shown = next((p for p in paragraphs if begins in _letters(p)), "".join(paragraphs[:1]))
        rest = text.replace(shown, " ", 1)
    seen = set(_NO_WORD.sub(" ", shown).split())
    words = dict.fromkeys(word for word in _NO_WORD.sub(" ", rest).split() if word not in seen)
    return entry | {"text": shown.strip()} | ({REST: " ".join(words)} if words else {})


def _beginning(text: str) -> tuple[str, str]:
    """The first paragraphs of a text, as long as a result can show, and the rest."""
    for found in _BLOCK_END.finditer(text, _SHOWN):
        shown = text[: found.end()]
        if all(shown.count(f"<{tag}>") == shown.count(f"</{tag}>") for tag in ("ul", "ol")):
            return shown, text[found.end() :]
    return text, ""


def _letters(text: str) -> str:
    """The letters and digits of a text, without tags and marks."""
    return "".join(c for c in html.unescape(_TAG.sub("", text)) if c.isalnum())


def address(page: str) -> str:
    """The address of a page by its name: `basics/leaf/`, and `basics/` for `basics/index`."""
    return "" if page == "index" else page.removesuffix("index").rstrip("/") + "/"


def _cut(text: str, cut: Callable[[str], Iterable[str]]) -> Iterator[str]:
    end = 0
    for found in HAN.finditer(text):
        yield text[end : found.start()]
        yield f" {' '.join(cut(found[0]))} "
        end = found.end()
    yield text[end:]
