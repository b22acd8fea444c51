"""In which part of the book a page is, and how long one reads it."""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Sequence

from proofbook.content.page_summary import title
from proofbook.model.book import Book
from proofbook.model.config import in_language
from proofbook.model.page import Page

CHARACTERS, WORDS, SNIPPET = 400, 220, 0.5
"""Chinese characters and words that one reads in a minute, and the minutes for a script."""

_HAN = re.compile(r"[\u4e00-\u9fff]")
_WORD = re.compile(r"[^\W\d_\u4e00-\u9fff][\w'’-]*")
_LINES = {
    "zh": {
        "part": "第 {part} 部分 · 共 {pages} 页",
        "page": "第 {part} 部分 · {name} · 约 {minutes} 分钟",
        "minute": "第 {part} 部分 · {name} · 约 {minutes} 分钟",
    },
    "en": {
        "part": "Part {part} · {pages} pages",
        "page": "Part {part} · {name} · about {minutes} minutes",
        "minute": "Part {part} · {name} · about a minute",
    },
}


def minutes(page: Page) -> int:
    """How long one reads a page: its text, and its scripts."""
    text = len(_HAN.findall(page.prose)) / CHARACTERS + len(_WORD.findall(page.prose)) / WORDS
    return max(1, round(text + SNIPPET * len(page.references)))


def where_in_book(book: Book, file: str, order: Sequence[str]) -> str:
    """The line below the title of a page: its part and its minutes; empty for one in no part.

    `order`: the names of the pages as a reader turns them. A part is a folder that has pages
    besides its first one.
    """
    page = book.page(file)
    folder = posixpath.dirname(page.name)
    sizes = Counter(posixpath.dirname(name) for name in order)
    parts = [part for part, size in sizes.items() if size > 1 and f"{part}/index" in order]
    if page.name not in order or folder not in parts:
        return ""
    lines = in_language(_LINES, page.language)
    first = book.page(book.page_file(f"{folder}/index", page.language))
    number, spent = parts.index(folder) + 1, minutes(page)
    if page.name == first.name:
        return lines["part"].format(part=number, pages=sizes[folder] - 1)
    name = re.split("[:：]", title(first).replace("`", ""))[0]
    kind = "page" if spent > 1 else "minute"
    return lines[kind].format(part=number, name=name, minutes=spent)
