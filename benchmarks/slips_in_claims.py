"""False general sentences, in both languages alike: negated, or with a word for its opposite.

Each change is made where a paragraph and its counterpart both allow it: in a sentence of either
that says something in general, first of its kind.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from proofbook.check.claims import general_sentences
from proofbook.languages.contents import paragraphs, sections
from proofbook.model.book import Book
from proofbook.model.page import Page
from proofbook.model.sentences import Sentence, sentences

from benchmarks.slips_in_words import Edit

EditPair = tuple[Edit, str, Edit]
"""An edit of a page, the file of its other language, and the edit there."""

BEFORE = {
    "en": {"before": "after", "after": "before"},
    "zh": {"之前": "之后", "之后": "之前", "以前": "以后", "以后": "以前"},
}
LEAF = {
    "en": {"intermediate": "leaf", "non-leaf": "leaf", "leaf": "non-leaf"},
    "zh": {"中间张量": "叶子张量", "非叶子": "叶子", "叶子": "非叶子"},
}
FIRST = {
    "en": {"first": "last", "last": "first"},
    "zh": {"第一": "最后一", "最后": "最先", "最先": "最后", "最前": "最后", "先": "最后"},
}
SUM = {
    "en": {"sum": "mean", "mean": "sum", "average": "sum", "averages": "sums", "adds": "averages"},
    "zh": {
        "之和": "的平均",
        "求和": "求平均",
        "平均": "求和",
        "总和": "平均",
        "加起来": "平均起来",
    },
}
NOT = {
    "en": {
        **{"doesn't": "does", "don't": "do", "isn't": "is", "aren't": "are", "can't": "can"},
        **{"never": "always", "not ": "", "no ": "a ", "nothing": "something", "only": "not only"},
        **{"always": "never", "is": "isn't", "are": "aren't", "must": "needn't"},
        **{"can": "can't", "gets": "doesn't get", "keeps": "doesn't keep"},
        **{"every": "not every", "each": "not each", "all": "not all"},
    },
    "zh": {
        **{
            "不会": "会",
            "没有": "有",
            "不是": "是",
            "从不": "总是",
            "不能": "能",
            "不": "",
            "没": "",
        },
        **{"必须": "不必", "只": "不只", "都": "不都", "每": "并非每", "会": "不会", "是": "不是"},
        **{"能": "不能", "要": "不要", "有": "没有"},
    },
}


def swapped(words: Mapping[str, Mapping[str, str]]) -> Callable[[Page, Book], Iterator[EditPair]]:
    """A word of a general sentence becomes its opposite, in both languages."""
    order = {code: sorted(known, key=len, reverse=True) for code, known in words.items()}
    patterns = {
        code: re.compile(("|".join if code == "zh" else _whole_words)(list(map(re.escape, known))))
        for code, known in order.items()
    }

    def edits(page: Page, book: Book) -> Iterator[EditPair]:
        file = page.file.replace(".en.md", ".zh.md")
        if page.language != "en" or file not in book.page_files:
            return
        there = book.page(file)
        for ours, theirs in _counterparts(page, there, book):
            one = _opposite(page, ours, patterns["en"], words["en"])
            other = _opposite(there, theirs, patterns["zh"], words["zh"])
            if one and other:
                yield one, file, other

    return edits


def _whole_words(words: list[str]) -> str:
    return rf"\b(?:{'|'.join(words)})(?![\w'-])|(?<=\b)(?:not|no) "


def _opposite(
    page: Page, sentence: Sentence, pattern: re.Pattern, words: Mapping[str, str]
) -> Edit | None:
    """The first word of a sentence that has an opposite, replaced by it."""
    found = pattern.search(page.own_words, sentence.start, sentence.end)
    return (*found.span(), words[found[0]]) if found and found[0] in words else None


def _counterparts(one: Page, other: Page, book: Book) -> Iterator[tuple[Sentence, Sentence]]:
    """Sentences that stand in the same place in both languages, and one of which is general."""
    general = {
        (page.file, sentence.start)
        for page in (one, other)
        for sentence, _ in book.fact(general_sentences, page.file)
    }
    said = {page.file: sentences(page) for page in (one, other)}
    theirs = {section.anchor: paragraphs(other, section) for section in sections(other)}
    for section in sections(one):
        ours = paragraphs(one, section)
        pairs = zip(ours, theirs.get(section.anchor, ()), strict=False)
        for here, there in pairs if len(ours) == len(theirs.get(section.anchor, ())) else ():
            both = [
                [sentence for sentence in said[page.file] if sentence.line in paragraph.lines]
                for page, paragraph in ((one, here), (other, there))
            ]
            if len(both[0]) != len(both[1]):
                continue
            for a, b in zip(*both, strict=True):
                if (one.file, a.start) in general or (other.file, b.start) in general:
                    yield a, b
