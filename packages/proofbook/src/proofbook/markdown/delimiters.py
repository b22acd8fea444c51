"""Delimited text in a paragraph: code between backticks, maths between dollars."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import NamedTuple

_TICKS = re.compile(r"(?<!\\)(?P<escapes>(?:\\\\)+)(?=`)|(?<!\\)(?P<ticks>`+)")
_RUN = re.compile("`+")


class Delimited(NamedTuple):
    """Places in a text: of the whole with its marks, and of the content between them."""

    start: int
    end: int
    content_start: int
    content_end: int


def find_code(text: str) -> Iterator[Delimited]:
    """The code in a text. A run of backticks ends at the next run of the same length.

    Where all runs that follow are shorter, the longest of them closes, and what is left of the
    first belongs to the code.
    """
    by_length: dict[int, list[int]] = {}
    for run in _RUN.finditer(text):
        by_length.setdefault(len(run[0]), []).append(run.start())
    at = 0
    while found := _TICKS.search(text, at):
        # Escaped backslashes stand for themselves, and the backticks behind them count.
        opened = _RUN.match(text, found.end()) if found["escapes"] else found
        start, end = opened.span()
        length = end - start
        close = _after(by_length.get(length, ()), end)
        if close is None:
            longest = max((n for n, at in by_length.items() if at[-1] >= end), default=length)
            if longest >= length:
                at = end + length  # Python-Markdown passes over so much of what follows
                continue
            length = longest
            close = _after(by_length[length], end)
        yield Delimited(start, close + length, start + length, close)
        at = close + length


def find_maths(text: str, opaque: str) -> Iterator[Delimited]:
    """The maths in a text: `$...$`, without blanks inside of its marks, and `\\(...\\)`.

    As in pymdownx.arithmatex: a "$" with a blank inside of it is a dollar; maths holds no code,
    each character of which is `opaque` here.
    """
    marks = list(re.finditer(rf"\\.|\$|{opaque}+", text, re.DOTALL))
    following: list[dict[str, int]] = [{} for _ in marks]
    known: dict[str, int] = {}
    for n in range(len(marks) - 1, -1, -1):
        following[n] = known
        sign = marks[n][0]
        if sign in ("$", r"\)") or sign[0] == opaque:
            known = known | {sign[:2] if sign[0] != opaque else opaque: n}
    n = 0
    while n < len(marks):
        opened = marks[n]
        closes = {"$": "$", r"\(": r"\)"}.get(opened[0])
        last = following[n].get(closes, -1) if closes else -1
        n += 1
        if last < 0 or following[n - 1].get(opaque, len(marks)) < last:
            continue
        start, end = opened.end(), marks[last].start()
        inside = text[start:end]
        if not inside or (closes == "$" and (inside[0].isspace() or inside[-1].isspace())):
            continue
        yield Delimited(opened.start(), marks[last].end(), start, end)
        n = last + 1


def _after(places: Sequence[int], at: int) -> int | None:
    """The first of sorted places that isn't before `at`."""
    index = bisect_right(places, at - 1)
    return places[index] if index < len(places) else None
