"""Links the first use of each term on a page to the glossary, in the page's HTML."""

from __future__ import annotations

import re

from proof.terms import Terms, one_of, plain

_TAG = re.compile(r"(<!--.*?-->|<[^>]*>)", re.DOTALL)
_NAME = re.compile(r"</?([a-zA-Z0-9]+)")
_QUOTED = re.compile(r"「[^「」]*」|“[^“”]*”|\"[^\"]*\"|《[^《》]*》")
_CLOSED = {
    *(
        "a",
        "code",
        "pre",
        "kbd",
        "math",
        "script",
        "style",
        "summary",
        "caption",
        "table",
        "button",
    ),
    *("h1", "h2", "h3", "h4", "h5", "h6"),
}
"""Elements within which no word becomes a link; a box's title is one more (see below)."""
_VOID = {"img", "br", "hr", "input", "link", "meta", "source", "wbr", "area", "col", "embed"}


def link_terms(html: str, terms: Terms, language: str, page: str, glossary: str) -> str:
    """The HTML of a page with the first use of each term linked to its place in the glossary.

    `page` is the page's name as terms give it (`basics/leaf`): what it is there to show is not
    linked. `glossary` is the glossary's address, seen from the page. Code, maths, headings,
    tables, titles of boxes, links and quotations stay as they are.
    """
    known = {plain(n): t for t in terms.all if not t.common for n in t.names(language)}
    if not known:
        return html
    # Common terms too, so that no shorter term is found within one of them.
    pattern = one_of(name for term in terms.all for name in term.names(language))
    seen = {term.id for term in terms.all if term.page == page}

    def link(found: re.Match) -> str:
        term = known.get(plain(found[0]))
        if term is None or term.id in seen:
            return found[0]
        seen.add(term.id)
        return f'<a class="term" href="{glossary}#{term.id}">{found[0]}</a>'

    def linked(text: str) -> str:
        parts = re.split(f"({_QUOTED.pattern})", text)
        return "".join(part if i % 2 else pattern.sub(link, part) for i, part in enumerate(parts))

    told, closed = [], []
    for piece in _TAG.split(html):
        if not piece.startswith("<"):
            told.append(piece if closed else linked(piece))
            continue
        told.append(piece)
        name = (_NAME.match(piece) or [None, ""])[1].lower()
        if closed and name == closed[-1] and piece.startswith("</"):
            closed.pop()
        elif not piece.startswith("</") and name not in _VOID:
            starts = name in _CLOSED or "admonition-title" in piece
            if starts or (closed and name == closed[-1]):
                closed.append(name)
    return "".join(told)
