"""Expands a page to plain Markdown: each directive is replaced by the lines it stands for."""

from __future__ import annotations

from collections.abc import Iterator

from proofbook.directives.registry import directive_of, wrong_options
from proofbook.model.book import Book
from proofbook.model.page import Page, Reference
from proofbook.model.problem import Problem, Unproved


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


def expanded(book: Book, file: str) -> str:
    """A page by its file as plain Markdown; raises as `expand`."""
    return expand(book.page(file), book)


def wrong_directives(page: Page, book: Book) -> Iterator[Problem]:
    """The directives of a page that cannot be shown."""
    try:
        expand(page, book)
    except Unproved as unproved:
        yield from unproved.problems


def expand_reference(reference: Reference, page: Page, book: Book) -> list[str]:
    """The lines that one directive of a page becomes; raises `Unproved`."""
    directive = directive_of(reference, book)
    problems: list[Problem] = []
    try:
        lines = directive.expand(reference, page, book)
    except Unproved as unproved:
        problems += unproved.problems
    problems += wrong_options(page, reference, directive)
    if problems:
        raise Unproved(problems)
    return lines
