"""The search index of Material, made faster: what its parser would drop anyway is dropped before.

Material reads the HTML of each page with a parser written in Python; figures, formulas and colored
code hold most of the tags, and none of them reach the index.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from types import SimpleNamespace

import jieba
from material.plugins.search.plugin import SearchIndex, SearchPlugin
from mkdocs.structure.pages import Page
from selectolax.lexbor import LexborHTMLParser

_UNSEEN = "[data-search-exclude], script, style, object"
_PASSED = ["span", "samp", "math", "semantics", "mrow", "mn", "mi", "mo", "msub", "msup", "mtext"]
"""Elements of which the index keeps the text alone."""


@dataclass
class SearchEntries:
    """The entries of each page, made once for its content."""

    _known: dict[tuple[str, str], tuple[tuple, list[dict]]] = field(default_factory=dict)

    def use(self, plugin: SearchPlugin, edition: str) -> None:
        """Have the index of an edition filled from here."""
        index = plugin.search_index
        index.add_entry_from_context = self._adding(index, edition)

    def _adding(self, index: SearchIndex, edition: str) -> Callable[[Page], None]:
        def add_entry_from_context(page: Page) -> None:
            words = jieba.dt.total  # changes with each word that jieba is told
            key = page.content, str(page.title), str(page.meta), str(index.config), words
            known = self._known.get((edition, page.url))
            if not known or known[0] != key:
                before = len(index.entries)
                SearchIndex.add_entry_from_context(index, _lean(page))
                self._known[edition, page.url] = key, index.entries[before:]
            else:
                index.entries.extend(known[1])

        return add_entry_from_context


def _lean(page: Page) -> SimpleNamespace:
    """The page with all HTML that is only seen taken out of its content."""
    tree = LexborHTMLParser(f"<body>{page.content}</body>")
    for node in tree.css(_UNSEEN):
        node.decompose()
    tree.body.unwrap_tags(_PASSED)
    return SimpleNamespace(
        content=tree.body.inner_html,
        meta=page.meta,
        toc=page.toc,
        url=page.url,
        title=page.title,
    )
