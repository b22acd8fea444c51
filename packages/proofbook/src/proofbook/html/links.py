"""Links of names to their documentation, of terms to the glossary, of scripts to their files."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Mapping
from functools import lru_cache

from proofbook.content.glossary import Terms, names_pattern, normalized
from proofbook.html.tree import (
    NOT_PROSE,
    Tree,
    element,
    nodes_outside,
    only_text,
    replace_text,
    wrap,
)
from proofbook.model.config import in_language

_QUOTED = r"「[^「」]*」|“[^“”]*”|\"[^\"]*\"|《[^《》]*》"
_DOWNLOAD = {"zh": "下载 {name}", "en": "Download {name}"}


def link_names(tree: Tree, address: Callable[[str], str | None]) -> None:
    """Link the first occurrence of each piece of code that has an address.

    `address` returns the address for a piece of code, or None if it is not a name, or ambiguous.
    Headings, tables, titles and links are left unchanged.
    """
    linked: set[str] = set()
    seen: set[str | None] = {None, ""}
    for node in nodes_outside(tree, NOT_PROSE):
        if node.tag != "code" or node.attributes or (text := only_text(node)) in seen:
            continue
        seen.add(text)
        place = address(text)
        if place and place not in linked:
            linked.add(place)
            wrap([node], element(tree, "a", {"class": "api", "href": place}))


def link_terms(tree: Tree, terms: Terms, language: str, page: str, glossary: str) -> None:
    """Link the first use of each term to its place in the glossary.

    `page` is the page's name as in terms (`basics/leaf`): terms that it explains are not linked.
    `glossary` is the glossary's address, relative to the page. Code, maths, headings, tables,
    titles, links and quotations are left unchanged.
    """
    linked = {term.id for term in terms.all if term.page == page}
    # Common terms too, so that no shorter term is found within one of them.
    names = tuple((n, None if t.common else t.id) for t in terms.all for n in t.names(language))
    if not names:
        return
    pattern, ids = _finder(names)
    for node in nodes_outside(tree, NOT_PROSE):
        if not node.is_text_node:
            continue
        text, parts, at = node.text_content, [], 0
        for found in pattern.finditer(text):
            name = ids.get(normalized(found[0]))
            if name is None or name in linked:
                continue
            linked.add(name)
            attributes = {"class": "term", "href": f"{glossary}#{name}"}
            parts += [text[at : found.start()], element(tree, "a", attributes, found[0])]
            at = found.end()
        if parts:
            replace_text(node, [*parts, text[at:]])


@lru_cache(maxsize=8)
def _finder(names: tuple[tuple[str, str | None], ...]) -> tuple[re.Pattern, dict[str, str | None]]:
    """A pattern for quotations and the names of terms in a text, and the term of each name."""
    pattern = re.compile(
        f"{_QUOTED}|{names_pattern(name for name, _ in names).pattern}", re.IGNORECASE
    )
    return pattern, {normalized(name): term for name, term in names}


def link_scripts(tree: Tree, scripts: Mapping[str, str], language: str) -> None:
    """Add a download link to the title of each code block of one of `scripts`: their addresses,
    relative to the page, by their paths in the book."""
    for title in tree.css("span.filename"):
        script = only_text(title) or ""
        if script not in scripts:
            continue
        label = in_language(_DOWNLOAD, language).format(name=posixpath.basename(script))
        attributes = {"class": "take-script", "href": scripts[script], "download": None}
        attributes["title"] = label
        title.insert_child(element(tree, "a", attributes), move=True)
