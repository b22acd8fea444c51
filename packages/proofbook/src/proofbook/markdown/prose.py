"""The prose of a page: what an author wrote in words, with code, maths and addresses left out."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from proofbook.model.page import Page


def prose(page: Page) -> str:
    """The text of the page with everything blanked that is not prose, each place where it was."""
    return page.prose


@lru_cache(maxsize=512)
def without_code(page: Page) -> str:
    """The text of the page with blocks and code blanked: what is left may hold maths."""
    return page.blanked(("front-matter", "fence", "directive", "option", "code", "comment"))


def own_words(page: Page) -> str:
    """The prose without what it quotes: titles of links to other sites, words in quotes."""
    return page.own_words


@dataclass(frozen=True)
class Code:
    """A piece of code within the prose; `quoted` where it stands in somebody else's words."""

    text: str
    line: int
    quoted: bool


@lru_cache(maxsize=512)
def code(page: Page) -> tuple[Code, ...]:
    """The code that stands within the prose of a page."""
    quoted = page.foreign_words
    return tuple(
        Code(
            " ".join(span.content.split()),
            span.line,
            any(start <= span.start < end for start, end in quoted),
        )
        for span in page.code_spans
    )
