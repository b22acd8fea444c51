"""The blocks that a page may contain, `::: name` with options indented below, and their expansions:
`registry` lists them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from proofbook.markdown.spans import Option, Reference

if TYPE_CHECKING:
    from proofbook.model.book import Book
    from proofbook.model.page import Page


@dataclass(frozen=True)
class Directive:
    """A kind of block, and how it becomes Markdown.

    `name`: the text after `:::`, or a pattern of it.
    `expand(reference, page, book)`: the lines of Markdown (or HTML) that replace the block; raises
    `Unproved` with the problems if it cannot be shown.
    `options`: the known options, by their names; a text is the form of an option without words,
    the same in each language.
    `site_only`: its expansion needs the style sheets of the site, so notebooks leave it out.
    """

    name: str | re.Pattern[str]
    expand: Callable[[Reference, Page, Book], list[str]]
    options: Mapping[str, Option | str] = field(default_factory=dict)
    site_only: bool = False

    def __post_init__(self) -> None:
        known = self.options.items()
        options = {name: Option(o) if isinstance(o, str) else o for name, o in known}
        object.__setattr__(self, "options", options)

    def matches(self, path: str) -> bool:
        """Whether the text after `:::` names this directive."""
        if isinstance(self.name, str):
            return path == self.name
        return self.name.fullmatch(path) is not None
