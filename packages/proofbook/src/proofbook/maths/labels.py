"""A number that the text gives to a printed label, "`x.grad` is 4", is one of that label's, and one
with a unit of memory, "64 kB", stands in no line with another unit.

Only sentences that say so directly are read: no "if `x` is 4", and nothing for a label that no
output has. Then also single digits count, which may stand anywhere else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import takewhile

from proofbook.maths.numbers import evidence_on_page
from proofbook.model.book import Book
from proofbook.model.page import Page
from proofbook.model.problem import Problem
from proofbook.model.snippet import MATHS, SnippetText, numbers_in, snippets_on_page

_NUMBER = r"(?P<mark>[`$*]*)(?P<number>[-−]?\d+(?:\.\d*)?(?:e[+-]?\d+)?)(?P=mark)"
_IS = {
    "en": re.compile(
        r"(?:(?:^|[.:;,)>|*]"
        r"|\b(?:and|so|then|that|but|now|because|since|thus|hence|although|though))\s+|^)"
        r"`(?P<label>[^`\n]+)` (?:is|becomes|stays|remains|keeps|holds|(?:first )?goes to)"
        r" (?:(?:now|still|again|already|at) )?" + _NUMBER + r"(?=[.,;:!?)]"
        r"(?:\s|$)| (?:and|but|so|because|instead|not|in|as|again|here|at|after|before|with)\b|$)",
        re.MULTILINE,
    ),
    "zh": re.compile(
        r"(?:^|[。，；：、）*]|所以|于是|因此|因为|而|但|可是|却|那么|这时|此时|现在|虽然|之后|以后)"
        r" ?`(?P<label>[^`\n]+)` ?(?:就|还|仍|仍然|又|才|已经|却已经|却|一直|先|也|都)?"
        r"(?:是|等于|变成|变为|变到|得|保持|留在) ?" + _NUMBER + r"(?=[。，；：！？）]|$)",
        re.MULTILINE,
    ),
}
_SUPPOSED = re.compile(
    r"(?:\b(?:if|when|where|while|unless|let|would|until|once|before)\b|如果|要是|当|设|时，|之前)"
    r"(?:[^.;!?。；！？\n]|\.\w|\n(?!\n))*\Z"
    r"|\b(?:suppose|imagine|assume)\b|假设|假如|设想",
    re.IGNORECASE,
)


_UNIT = re.compile(r"\W{0,3}(?<!%)(bytes?|字节|[kKMGT]i?B)(?![A-Za-z])")
_UNITS = re.compile(r"(?<![A-Za-z])(bytes?|[kKMGT]i?B)(?![A-Za-z])")

_LABELLED = r"(?:(?<=  )|(?<=[,;] )|^\s*){}(?::| =) "
"""A label in a line of an output, before its value."""
_NEXT = re.compile(r"(?:  |[,;] )\s*(?=[A-Za-z_][^:,]*(?::| =) )")


def wrong_units(page: Page, book: Book) -> Iterator[Problem]:
    """The numbers of a page with a unit of memory that all lines with them print with another."""
    for statement, proving in evidence_on_page(page, book):
        after = _UNIT.match(page.text, statement.end)
        if not after or isinstance(statement.wanted, str) or statement.source:
            continue
        rows = [one.words for one in proving if one.text.part != MATHS]
        units = [{_same(unit) for unit in _UNITS.findall(row)} for row in rows]
        if rows and all(units) and _same(after[1]) not in set.union(*units):
            what, fix = "the run prints this number with another unit", "correct the unit"
            found = page.text[statement.place : after.end()]
            yield page.problem(page.line_of(statement.place), what, rows[0].strip(), found, fix)


def _same(unit: str) -> str:
    return {"字节": "byte", "bytes": "byte"}.get(unit, unit.lower())


def wrong_labels(page: Page, book: Book) -> Iterator[Problem]:
    """The numbers that a page gives to a printed label of which the runs print others."""
    pattern = _IS.get(page.language)
    found = list(pattern.finditer(page.text)) if pattern else []
    linked = map(book.shown_page, page.linked_pages(0, len(page.text))) if found else ()
    runs = [run for file in (page.file, *linked) for run in book.fact(snippets_on_page, file)]
    for one in found:
        label, number = one["label"], numbers_in(one["number"])[0]
        above = [run for run in runs if run.page == page.file and run.place < one.start()]
        # A label that is printed above is not that of another page.
        texts = ([text for run in known for text in run.texts] for known in (above, runs))
        shown = next((each for each in texts if _printed(each, label)), [])
        printed = _printed(shown, label)
        before = page.text[max(0, one.start() - 160) : one.start("label")]
        if not printed or _SUPPOSED.search(before):
            continue
        others = [line for text in shown for line in text.lines if _names(line, label)]
        # Where a line prints several labels, only what stands behind this one is its.
        said = [line for line in others if not re.search(_LABELLED.format(re.escape(label)), line)]
        known = {1.0 * ("ones" in line) for line in said if re.search("zeros|ones", line)}
        if number not in known.union(*map(numbers_in, [*printed, *said])):
            yield page.problem(
                page.line_of(one.start("label")),
                "the runs print another number behind this label",
                " or ".join(dict.fromkeys(printed[:3])),
                f"{label}: {one['number']}",
                "correct the number, or say what it is the value of",
            )


def _printed(texts: Sequence[SnippetText], label: str) -> list[str]:
    return [line for text in texts if text.part != "code" for line in _behind(text, label)]


def _behind(text: SnippetText, label: str) -> Iterator[str]:
    """What an output prints behind a label, with the label, and what continues it below."""
    for number, row in enumerate(text.lines):
        for found in re.finditer(_LABELLED.format(re.escape(label)), row):
            below = takewhile(lambda line: line[:1] in (" ", "["), text.lines[number + 1 :])
            after = _NEXT.search(row, found.end())
            if after:
                yield row[found.start() : after.start()].strip()
            else:
                yield " ".join([row[found.start() :].strip(), *(line.strip() for line in below)])


def _names(line: str, label: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(label)}(?![\w.(\[])", line) is not None
