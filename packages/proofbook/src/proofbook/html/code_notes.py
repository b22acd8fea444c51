"""Notes on lines of code: comments, beside their line where it has room, below it elsewhere.

A style sheet shows them: `note` is the class of each, `below` that of one for which no screen has
room beside its line. In the text, and for who copies the code, a note is a comment of its line.
"""

from __future__ import annotations

import unicodedata

from proofbook.html.tree import Node, Tree, element
from proofbook.html.value_markers import without_markers

ROOM = 64
"""So many characters of a line fit beside a figure."""

_MARK = "# "


def place_notes(tree: Tree) -> None:
    """Mark the comments of Python as notes, each with the indentation of its line."""
    for note in tree.css("div.highlight pre span.c1"):
        text = note.text()
        line = _before(note)
        if not text.startswith(_MARK):
            continue
        fits = _width(line) + _width(text) <= ROOM
        mark = element(tree, "span", {"class": "mark"}, _MARK)
        note.inner_html = ""
        note.insert_child(mark, move=True)
        note.insert_child(text.removeprefix(_MARK))
        note.attrs["class"] = "c1 note" if fits else "c1 note below"
        note.attrs["style"] = f"--indent: {len(line) - len(line.lstrip())}ch"
        _take_line_end(note)


def _before(note: Node) -> str:
    """The text of the line in front of a note."""
    parts: list[str] = []
    node = note.prev
    while node is not None and "\n" not in (text := _text(node)):
        parts.insert(0, text)
        node = node.prev
    if node is not None:
        parts.insert(0, _text(node).rpartition("\n")[2])
    return "".join(parts)


def _take_line_end(note: Node) -> None:
    """Move the end of the line into the note, so that one below its line leaves no line empty."""
    if (end := note.next) is None or not (text := _text(end)).startswith("\n"):
        return
    if end.is_text_node:
        note.insert_child("\n")
        end.replace_with(text[1:]) if text[1:] else end.decompose()
    elif text == "\n":
        note.insert_child("\n")
        end.decompose()


def _text(node: Node) -> str:
    return (node.text_content if node.is_text_node else node.text()) or ""


def _width(text: str) -> int:
    """The columns that a text takes: a Chinese character takes two."""
    return sum(1 + (unicodedata.east_asian_width(c) in "WF") for c in without_markers(text))
