"""Lists of tables in a TOML file, each with the line it begins in: a fault is reported there."""

from __future__ import annotations

import re
import tomllib
from typing import TYPE_CHECKING, Any

from proofbook.model.problem import Problem, Unproved, not_utf8

if TYPE_CHECKING:
    from proofbook.model.book import Book

_HEADER = re.compile(r"^\s*\[\[\s*([\w-]+)\s*\]\]", re.MULTILINE)


def parse_toml(text: str) -> dict[str, Any]:
    """A text as TOML; raises `tomllib.TOMLDecodeError`, also where it nests too deep to be read."""
    try:
        return tomllib.loads(text)
    except RecursionError:
        rows = text.split("\n")
        deepest = max(range(len(rows)), key=lambda n: rows[n].count("[") + rows[n].count("{"))
        raise tomllib.TOMLDecodeError(f"nested too deep (at line {deepest + 1})") from None


def tables(book: Book, file: str, kind: str, pages: tuple[str, ...]) -> list[tuple[object, int]]:
    """The entries `[[kind]]` of a file, each with its line; none where the file doesn't exist.

    `pages`: those on which a reader would meet a fault. Raises `Unproved` where it isn't TOML.
    """

    def unproved(line: int, what: str, expected: str, found: str) -> Unproved:
        return Unproved([Problem(file, line, what, expected, found, f"correct {file}", pages)])

    if not book.has(file):
        return []
    try:
        text = book.text(file)
        entries = book.cached(parse_toml, text).get(kind, [])
    except UnicodeDecodeError as error:
        raise Unproved([not_utf8(file, error, pages)]) from error
    except tomllib.TOMLDecodeError as error:
        found = re.search(r"line (\d+)", str(error))
        line = int(found[1]) if found else 1
        raise unproved(line, "this is not TOML", "TOML", str(error)) from error
    headers = [found for found in _HEADER.finditer(text) if found[1] == kind]
    lines = [text.count("\n", 0, found.end()) + 1 for found in headers]
    if not isinstance(entries, list) or len(entries) != len(lines):
        what, expected = f"this is no list of {kind}s", f"[[{kind}]] above each"
        raise unproved(1, what, expected, repr(entries)[:60])
    return list(zip(entries, lines, strict=True))


def is_words(value: object) -> bool:
    """Whether a value is a text in one line, without blanks too many."""
    return isinstance(value, str) and bool(value) and value == " ".join(value.split())
