"""The definition of a directive: a block `::: name` in a page, with its options indented below."""

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
    `recording(reference)`: the script whose recording is shown, or None. Such a script is recorded
    at every check, and compared with the recording next to it.
    `varied(reference)`: the numbers of that script that a reader can change, as in the page.
    `site_only`: its expansion needs the style sheets of the site, so notebooks leave it out.
    """

    name: str | re.Pattern[str]
    expand: Callable[[Reference, Page, Book], list[str]]
    options: Mapping[str, Option | str] = field(default_factory=dict)
    recording: Callable[[Reference], str | None] = lambda _: None
    varied: Callable[[Reference], tuple[str, ...]] = lambda _: ()
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
