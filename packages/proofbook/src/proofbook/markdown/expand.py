"""Expands a page to plain Markdown: what each directive becomes stands in the directive's place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from proofbook.directives.registry import directive_of, wrong_options
from proofbook.model.page import Page, Reference
from proofbook.model.problem import Problem, Unproved

if TYPE_CHECKING:
    from proofbook.model.book import Book


def expand(page: Page, book: Book) -> str:
    """The page as plain Markdown; raises `Unproved` with the problems of all its directives."""
    problems: list[Problem] = []
    lines = page.text.split("\n")
    expanded: list[str] = []
    at = 0
    for reference in page.references:
        expanded += lines[at : reference.line - 1]
        at = reference.end
        try:
            expanded += expand_reference(reference, page, book)
        except Unproved as unproved:
            problems += unproved.problems
    if problems:
        raise Unproved(problems)
    return "\n".join(expanded + lines[at:])


def expand_reference(reference: Reference, page: Page, book: Book) -> list[str]:
    """The lines that one directive of a page becomes; raises `Unproved`."""
    directive = directive_of(reference, book.directives)
    problems: list[Problem] = []
    try:
        lines = directive.expand(reference, page, book)
    except Unproved as unproved:
        problems += unproved.problems
    problems += wrong_options(page, reference, directive)
    if problems:
        raise Unproved(problems)
    return lines
