"""Addresses that pages had: `docs/moved.toml` says which section has the text of each now, or of
one of its sections.

    "accumulate/loss-not-branch" = "accumulate/two-losses#loss-not-branch"
    "compile/graph-breaks#grad-mode" = "compile/check#grad-mode"
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from urllib.parse import quote

from proofbook.content.page_summary import title
from proofbook.model.book import Book

FILE = "docs/moved.toml"

_LINE = re.compile(r'"([\w/-]+)(?:#([\w-]+))?" = "([\w/-]+)#([\w-]+)"')
_PAGE = """\
<!doctype html>
<html lang="{language}">
<meta charset="utf-8">
<title>{title}</title>
<meta name="robots" content="noindex">
<noscript><meta http-equiv="refresh" content="0; url={page}#{anchor}"></noscript>
<script>
const old = location.hash.slice(1), places = {places}
location.replace(places[old] ?? "{page}#" + (old.startsWith("trace-") ? old : "{anchor}"))
</script>
<p><a href="{page}#{anchor}">{title}</a></p>
</html>
"""


@dataclass(frozen=True)
class Move:
    """A page that moved, or one of its `section`s: its old name, and the page and section that have
    its text now."""

    line: int
    old: str
    section: str | None
    page: str
    anchor: str


def moves(book: Book) -> tuple[tuple[Move, ...], dict[int, str]]:
    """What moved; and the lines of the file that cannot be read, by their numbers."""
    found, unread = [], {}
    for number, line in enumerate(book.text_or_empty(FILE).splitlines(), start=1):
        if match := _LINE.fullmatch(line):
            found.append(Move(number, *match.groups()))
        elif line and not line.startswith("#"):
            unread[number] = line
    return tuple(found), unread


def redirects(book: Book, language: str) -> Iterator[tuple[str, str]]:
    """What stands at the old addresses in the edition of a language, by its path there: a page that
    leads to the new one, and to the section of the old address if a page has it."""
    found = moves(book)[0]
    for move in (move for move in found if move.section is None):
        page, new = book.page(book.page_file(move.page, language)), _relative(move.page, move.old)
        places = {each.anchor: f"{new}#{each.anchor}" for each in page.headings if each.anchor}
        places |= {
            other.section: f"{_relative(other.page, move.old)}#{other.anchor}"
            for other in found
            if other.old == move.old and other.section
        }
        text = _PAGE.format(
            language=page.language or language,
            title=escape(title(page).replace("`", "")),
            page=new,
            anchor=move.anchor,
            places=json.dumps(places),
        )
        yield f"{move.old}/index.html", text


def _relative(page: str, old: str) -> str:
    return quote(posixpath.relpath(page.removesuffix("index") or ".", old) + "/")
