"""Links the first use of each term on a page to the glossary, in the page's HTML."""

from __future__ import annotations

import re
from collections.abc import Iterator

from proofbook.content.glossary import Terms, one_of, plain

# A block of code or a formula in one piece: it holds most of the tags of a page.
_TAG = re.compile(
    r"(<!--.*?-->|<pre\b.*?</pre>|<math\b.*?</math>|<[^>]*>)", re.DOTALL | re.IGNORECASE
)
_NAME = re.compile(r"</?([a-zA-Z0-9]+)")
_QUOTED = re.compile(r"「[^「」]*」|“[^“”]*”|\"[^\"]*\"|《[^《》]*》")
CLOSED = {
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
        "figure",
        "table",
        "button",
    ),
    *("h1", "h2", "h3", "h4", "h5", "h6"),
}
"""Elements within which no word becomes a link; titles of boxes and of code are more (below)."""
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

    return "".join(
        linked(piece) if free and not piece.startswith("<") else piece
        for piece, free in pieces(html, CLOSED)
    )


def pieces(html: str, elements: set[str]) -> Iterator[tuple[str, bool]]:
    """Each tag and each text of the HTML, and whether it stands outside of these elements."""
    closed: list[str] = []
    for piece in _TAG.split(html):
        yield piece, not closed
        name = (_NAME.match(piece) or [None, ""])[1].lower()
        if not piece.startswith("<") or (name in ("pre", "math") and piece.count("<") > 1):
            continue
        if closed and name == closed[-1] and piece.startswith("</"):
            closed.pop()
        elif not piece.startswith("</") and name not in _VOID:
            starts = name in elements or "admonition-title" in piece or '"filename"' in piece
            if starts or (closed and name == closed[-1]):
                closed.append(name)
