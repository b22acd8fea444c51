"""How much of what the pages say in general was tried, what wasn't, and what no machine reads."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass

from proofbook.api.names_in_code import names_in_code
from proofbook.check.claims import general_sentences
from proofbook.check.equations import equation_verdicts
from proofbook.check.numbers import statements_of
from proofbook.content.claims import UNTESTED, claims_of
from proofbook.model.book import Book
from proofbook.model.config import in_language
from proofbook.model.sentences import sentences

NAME = "claims"
"""What a page writes after `:::` to have this report there."""

_SUMMARY = {
    "zh": (
        "这一版有 {sentences} 个句子。其中 {claims} 条论断说的是一般情形："
        "{tested} 条有测试试着推翻过，{untested} 条没有测试，原因列在下面；"
        "还有 {examples} 个句子用了「都」「只」一类的词，但写明了只讲页面上的例子。"
        "{unread} 个句子里没有机器能核对的东西：没有数、等式、名字，也不是论断。它们只由人读过。"
    ),
    "en": (
        "This edition has {sentences} sentences. They make {claims} general claims: tests tried to "
        "refute {tested} of them, and {untested} were not tested, for the reasons below. Another "
        '{examples} sentences use words such as "every" or "only", and say that they speak of the '
        "example on their page. {unread} sentences contain nothing that a machine could check: no "
        "number, no equation, no name, no claim. Only people have read them."
    ),
}
_FOLDED = {
    "zh": '\n??? note "没有测试，{}：{} 条"',
    "en": '\n??? note "Not tested, {}: {}"',
}
_LINKED = re.compile(r"!?\[([^\]]*)\]\([^)]*\)(?:\{[^}]*\})?|\[\^[^\]]*\]|(?<=`)\{[^}]*\}")
"""Links lead elsewhere from another page; of them the words are kept."""


@dataclass(frozen=True)
class Reading:
    """What is known of the sentences of a page, or of several.

    `claims`, and of them the `tested`; `examples`: general sentences that speak of their example;
    `sentences`: all of them, and the `unread` ones, in which nothing is checked.
    """

    sentences: int = 0
    claims: int = 0
    tested: int = 0
    examples: int = 0
    unread: int = 0


def reading(book: Book, file: str) -> Reading:
    """What is known of the sentences of a page."""
    page = book.page(file)
    claims = claims_of(book, file)
    general = book.fact(general_sentences, file)
    checked = {sentence.start for sentence, _ in general}
    said = {text for claim in claims for text in claim.said.get(page.language, ())}
    places = [statement.place for statement in book.cached(statements_of, page)]
    places += [one.equality.place for one in book.remember(equation_verdicts, file)]
    places += [code.start for code in page.own_code if names_in_code(code.one_line)]
    found = sentences(page)
    unread = [
        one
        for one in found
        if one.start not in checked
        and one.text not in said
        and not any(one.start <= place < one.end for place in places)
    ]
    return Reading(
        len(found),
        len(claims),
        sum(bool(claim.test) for claim in claims),
        sum(of_example for _, of_example in general),
        len(unread),
    )


def summary(file: str, book: Book) -> list[str]:
    """The counts of an edition in words, and its untested claims, as lines of Markdown."""
    language = book.language_of(file)
    pages = [page for page in book.page_files if book.language_of(page) == language]
    read = [book.fact(reading, page) for page in pages]
    claims, tested = sum(one.claims for one in read), sum(one.tested for one in read)
    lines = [
        in_language(_SUMMARY, language).format(
            sentences=f"{sum(one.sentences for one in read):,}",
            claims=claims,
            tested=tested,
            untested=claims - tested,
            examples=sum(one.examples for one in read),
            unread=sum(one.unread for one in read),
        )
    ]
    for reason, words in UNTESTED.items():
        rows = [row for page in pages for row in _untested(book, file, page, reason)]
        if rows:
            folded = in_language(_FOLDED, language)
            lines += [folded.format(in_language(words, language), len(rows)), "", *rows]
    return lines


def _untested(book: Book, file: str, page: str, reason: str) -> Iterator[str]:
    """The claims of a page that were not tested for a reason, each with a link to the page."""
    address = posixpath.relpath(page, posixpath.dirname(file))
    shown = book.page(page)
    for claim in claims_of(book, page):
        if claim.untested == reason:
            said = _LINKED.sub(r"\1", " ".join(claim.said[shown.language]))
            yield f"    - {said} ([{shown.title}]({address}))"
