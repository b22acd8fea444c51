"""Text in the columns of a terminal, in which a Chinese character takes two."""

from __future__ import annotations

import re
from unicodedata import east_asian_width

_WORD = re.compile(r"\s+|`[^`\s]*`|[^\s\u2e80-\uffef`]+|.")
"""Spaces, short code, what holds neither spaces nor Chinese, and any other character."""
_CLOSING = "，。；：、）！？」』,.;:)!?"
_OPENING = "（「『"


def width(text: str) -> int:
    """How many columns a text takes."""
    return sum(2 if east_asian_width(char) in "WF" else 1 for char in text)


def padded(text: str, columns: int) -> str:
    """A text with spaces after it, up to a width."""
    return text + " " * (columns - width(text))


def wrapped(text: str, columns: int) -> list[str]:
    """Lines of at most so many columns, broken at spaces and between Chinese characters, and never
    before a closing sign or after an opening one. A longer word has a line of its own."""
    lines, line = [], ""
    for word in _words(text):
        if width((line + word).rstrip()) > columns and line.strip():
            lines.append(line.rstrip())
            line = ""
        line = line + word if line or word.strip() else ""
    return [*lines, line.rstrip()] if line.strip() else lines


def _words(text: str) -> list[str]:
    """What may not be broken, each with the signs that open it and those that close it."""
    found: list[str] = []
    for word in _WORD.findall(text):
        opened = bool(found) and found[-1] in _OPENING
        if opened or (found and word in _CLOSING and found[-1].strip()):
            found[-1] += word
        else:
            found.append(word)
    return found
