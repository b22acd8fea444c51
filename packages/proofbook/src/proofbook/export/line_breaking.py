"""Breaks a title into lines of about the same length, by the rules of its language."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from operator import itemgetter

import jieba

CLOSING = "，。、；：？！）」』》】…—”’％%,.;:?!)]}"
"""What begins no line."""
OPENING = "（「『《【“‘([{"
"""What ends no line."""

Run = tuple[str, str]
"""A kind of text, "text" or "code", and the text."""


@dataclass(frozen=True)
class Piece:
    """What stays together on a line, with the blank that follows it within the line."""

    runs: tuple[Run, ...]

    @property
    def text(self) -> str:
        return "".join(text for _, text in self.runs)

    def trimmed(self) -> Piece:
        """Without the blank at its end."""
        kind, text = self.runs[-1]
        return Piece((*self.runs[:-1], (kind, text.rstrip())))


def pieces(title: str, language: str) -> list[Piece]:
    """The pieces between which a title may be broken; its code stands in backticks.

    Chinese is broken between words (jieba knows them), any other language at blanks; code is never
    broken, and punctuation stays with the word that it belongs to.
    """
    parts: list[Piece] = []
    for number, part in enumerate(re.split(r"(`+[^`]+`+)", title)):
        if number % 2:
            parts.append(Piece((("code", part.strip("`")),)))
        elif part:
            parts += [Piece((("text", word),)) for word in _words(part, language)]
    return _joined(parts)


def _words(text: str, language: str) -> list[str]:
    words = re.findall(r"\s+|[^\s\u2e80-\uffff]+|[\u2e80-\uffff]+", text)
    if language.startswith("zh"):
        return [
            one for word in words for one in (jieba.cut(word) if word[0] > "\u2e7f" else [word])
        ]
    return words


def _joined(parts: list[Piece]) -> list[Piece]:
    """Blanks and closing punctuation go to the piece before, an opening bracket to that after."""
    joined: list[Piece] = []
    for part in parts:
        before = joined[-1].text if joined else ""
        glued = part.text[0] in CLOSING or part.text.isspace() or before[-1:] in (*OPENING,)
        apart = before[-1:].isspace() or (before and _chinese(before[-1]) != _chinese(part.text[0]))
        if joined and (glued or (not apart and not _chinese(part.text[0]))):
            joined[-1] = replace(joined[-1], runs=joined[-1].runs + part.runs)
        else:
            joined.append(part)
    return joined


def _chinese(character: str) -> bool:
    return character > "\u2e7f"


def balanced_lines(parts: Sequence[Piece], widths: Sequence[float], room: float) -> list[list[Run]]:
    """The lines, as few as go into the `room`, and then as even as can be; [] where a piece is
    wider than the room. `widths`: those of the pieces, in the unit of `room`.

    A break after punctuation is worth some unevenness: it is where a reader pauses.
    """
    count = len(parts)
    best: dict[int, tuple[int, float, int]] = {count: (0, 0.0, count)}
    even = sum(widths) / max(1, -(-sum(widths) // room))
    for start in range(count - 1, -1, -1):
        wide, found = 0.0, []
        for end in range(start + 1, count + 1):
            wide += widths[end - 1]
            if wide > room:
                break
            if end in best:
                pause = end < count and parts[end - 1].text.rstrip()[-1:] in (*CLOSING,)
                uneven = ((wide - even) / room) ** 2 - (0.08 if pause else 0)
                count_below, cost, _ = best[end]
                found.append((count_below + 1, cost + uneven, end))
        if found:
            best[start] = min(found)
    if 0 not in best:
        return []
    lines, at = [], 0
    while at < count:
        end = best[at][2]
        line = [*parts[at : end - 1], parts[end - 1].trimmed()]
        lines.append(_merged(run for piece in line for run in piece.runs))
        at = end
    return lines


def _merged(runs: Iterable[Run]) -> list[Run]:
    """Neighbors of one kind as one run."""
    merged = [
        (kind, "".join(text for _, text in same)) for kind, same in groupby(runs, itemgetter(0))
    ]
    return [(kind, text) for kind, text in merged if text]
