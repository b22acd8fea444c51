"""What the script printed, within a sentence."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gradtrace.narrate.narrator import Narrator

MAX_LINES = 3
"""Printed lines that one sentence lists."""
MAX_LINE_LENGTH = 110
"""Characters of a printed line that a sentence repeats."""


def printed_lines(texts: Iterable[str]) -> list[str]:
    """The lines of printed texts, each matrix in one; without those that are empty."""
    lines: list[str] = []
    for text in texts:
        for line in filter(None, map(str.strip, text.split("\n"))):
            if lines and lines[-1].count("[") > lines[-1].count("]"):
                lines[-1] += f" {line}"  # the next row of a tensor
            else:
                lines.append(line)
    return lines


def listed_lines(narrator: Narrator, lines: Sequence[str]) -> str:
    """Printed lines as code, as many as have room; "" for none."""
    if not lines:
        return ""
    texts = [f"`{_shortened(line)}`" for line in lines[:MAX_LINES]]
    if len(lines) > MAX_LINES:
        return narrator.join("and", texts) + narrator.phrase("more_lines")
    return narrator.enumeration(texts)


def _shortened(text: str) -> str:
    """A long line without its end."""
    if len(text) <= MAX_LINE_LENGTH:
        return text
    return text[:MAX_LINE_LENGTH].rpartition(" ")[0] + " …"
