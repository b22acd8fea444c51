"""Numbers in the prose that change with a figure, `60`{ .follows }, when a reader varies a number.

`trace-vary.js` takes each from the line of the output that proves it, in the run that is shown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from proofbook.check.numbers import Evidence, evidence_on_page
from proofbook.markdown.spans import Span
from proofbook.model.book import Book
from proofbook.model.page import Page
from proofbook.model.problem import Problem
from proofbook.model.snippet import VARIED, numbers_in, spaced

_FOLLOWS = re.compile(r"\{[^{}]*(?<![\w-])\.follows(?![\w-])[^{}]*\}")
_MARKS = re.compile(r"[*_`]*")
_WHAT = "the number cannot follow a figure"


def wrong_following(page: Page, book: Book) -> Iterator[Problem]:
    """What is wrong with the numbers of a page that are to follow a figure on it."""
    wanted = [s for s in page.spans_of("attributes") if _FOLLOWS.fullmatch(_written(page, s))]
    if not wanted:
        return
    proved = {
        statement.end: next(proving, None) for statement, proving in evidence_on_page(page, book)
    }
    for span in wanted:
        before = page.text[: span.start]
        marks = len(_MARKS.match(before[::-1])[0])
        ends = (span.end, *(span.start - n for n in range(marks + 1)))  # code ends with its list
        evidence = next(filter(None, map(proved.get, ends)), None)
        if wrong := _wrong(page, evidence, before):
            expected, found = wrong
            yield page.problem(span.line, _WHAT, expected, found, "correct it, or take it away")


def _written(page: Page, span: Span) -> str:
    return page.text[span.start : span.end]


def _wrong(page: Page, evidence: Evidence | None, before: str) -> tuple[str, str] | None:
    """What is expected of a number, proved by this evidence, and what there is instead."""
    if evidence is None or evidence.text.part != "out" or evidence.snippet.page != page.file:
        return "a number that a snippet with vary: on this page prints", _last_word(before)
    runs = [text for text in evidence.snippet.texts if text.part.startswith(VARIED)]
    if not runs:
        return f"vary: on {evidence.snippet.script}, which prints it", "none"
    number = numbers_in(_last_word(before))
    if len(number) != 1 or numbers_in(evidence.words).count(number[0]) != 1:
        return "one number, which its line has once", f"{_last_word(before)}: {evidence.words}"
    for run in runs:
        # Each such text begins with a line for each number that is varied.
        numbers = run.part.count("=")
        lines = run.lines[numbers:]
        line = lines[evidence.line - 1] if evidence.line <= len(lines) else ""
        if _words(line) != _words(evidence.words):
            return f"{_words(evidence.words)} in each run", f"{line or 'no such line'} ({run.part})"
    return None


def _last_word(text: str) -> str:
    return text.rstrip("*_`").replace("`", " ").replace("*", " ").split()[-1]


def _words(line: str) -> str:
    """A line without its numbers."""
    return re.sub(r"-?(?:\d[\d.]*(?:e[+-]?\d+)?|\bnan\b|\binf\b)", "#", spaced(line))
