"""Lines of code: an element for each line, with its note.

An element is as high as its line, even if that is wrapped. A note is the comment of a line, which a
style sheet shows next to it where there is room, and below it elsewhere: each has the class `note`,
and also `below` if no screen is wide enough.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from proofbook.html.tree import Node, Tree, element, split_text, wrap
from proofbook.html.value_markers import without_markers

LINE = "code-line"
"""The class of a line of code; gradtrace's player highlights such elements."""
ROOM = 64
"""The number of characters of a line that fit next to a figure."""

_HIGHLIGHTED = "hll"
"""The class of the element that Pygments creates for a line."""
_MARK = "# "
_PIECE = re.compile(r"[^\n]*\n|[^\n]+")


def mark_lines(tree: Tree) -> None:
    """Put each line of code into an element of its own, with its indentation."""
    for code in tree.css("div.highlight:not(.output) pre > code"):
        for blank in code.css("span.w"):  # an invisible color
            blank.replace_with(blank.text())
        for nodes in list(lines_of(code)):
            around = nodes[0].parent
            if _HIGHLIGHTED in _classes(around):
                line = around
                line.attrs["class"] = f"{_HIGHLIGHTED} {LINE}"
            else:
                line = element(tree, "span", {"class": LINE})
                wrap(nodes, line)
            text = line.text()
            if text.strip() and (indent := len(text) - len(text.lstrip())):
                line.attrs["style"] = f"--indent:{indent}ch"


def lines_of(code: Node) -> Iterator[list[Node]]:
    """The nodes of each line of a block, with its line end; if a line is one element already, the
    nodes in it."""
    line: list[Node] = []
    for child in list(code.iter(include_text=True)):
        if child.is_text_node:
            parts = _PIECE.findall(child.text_content)
            for part, piece in zip(parts, split_text(child, parts), strict=True):
                line.append(piece)
                if part.endswith("\n"):
                    yield line
                    line = []
        elif not {_HIGHLIGHTED, LINE}.isdisjoint(_classes(child)):
            yield from lines_of(child)
        else:
            line.append(child)
    if line:
        yield line


def place_notes(tree: Tree) -> None:
    """Mark the comments at the ends of lines as notes."""
    for line in tree.css(f".{LINE}:has(.c1)"):
        note = line.css_first("span.c1")
        text = note.text()
        before = line.text().partition(text)[0]
        if not text.startswith(_MARK) or not before.strip():
            continue
        fits = _width(before) + _width(text) <= ROOM
        mark = element(tree, "span", {"class": "mark"}, _MARK)
        note.inner_html = ""
        note.insert_child(mark, move=True)
        note.insert_child(text.removeprefix(_MARK))
        note.attrs["class"] = "c1 note" if fits else "c1 note below"


def _classes(node: Node) -> list[str]:
    return (node.attributes.get("class") or "").split()


def _width(text: str) -> int:
    """The width of a text in columns: a Chinese character takes two."""
    return sum(1 + (unicodedata.east_asian_width(c) in "WF") for c in without_markers(text))
