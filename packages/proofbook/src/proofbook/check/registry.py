"""All checks of a book that need no run, in one list; each is named after its subject.

A check of a page is a function `check(page, book) -> problems`, a check of the whole book is a
function `check(book) -> problems`; a check of what was edited is a function
`check(book, revision) -> problems`. A new check is a line in one of these lists.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from proofbook.api.documentation import wrong_inventories
from proofbook.api.index import unknown_api
from proofbook.check.api_names import wrong_dtypes, wrong_names
from proofbook.check.attacks import sections_to_read, wrong_attacks
from proofbook.check.files import shadowed_modules, unused_files
from proofbook.check.links import PageCheck, wrong_entries, wrong_links, wrong_moves
from proofbook.check.markup import (
    active_html,
    heading_anchors,
    stray_markup,
    typed_code,
    unclosed_markup,
    unknown_placeholders,
    unread_options,
)
from proofbook.check.translations import between_languages, since_revision
from proofbook.content import glossary, questions, torch_versions
from proofbook.directives.registry import wrong_directives
from proofbook.maths.check import wrong_equations, wrong_formulas
from proofbook.maths.labels import wrong_labels, wrong_units
from proofbook.maths.numbers import unproved_values, wrong_following
from proofbook.model.book import Book
from proofbook.model.problem import Problem
from proofbook.model.sources import Revision, base_revision
from proofbook.model.torch_records import stale_records, wrong_records

BookCheck = Callable[[Book], Iterable[Problem]]
RevisionCheck = Callable[[Book, Revision], Iterable[Problem]]

PAGE_CHECKS: tuple[PageCheck, ...] = (
    wrong_directives,
    typed_code,
    active_html,
    stray_markup,
    unclosed_markup,
    unread_options,
    unknown_placeholders,
    heading_anchors,
    glossary.wrong_words,
    wrong_formulas,
    wrong_equations,
    unproved_values,
    wrong_following,
    wrong_labels,
    wrong_units,
    wrong_names,
    wrong_dtypes,
    wrong_links,
    torch_versions.wrong_since,
)

BOOK_CHECKS: tuple[BookCheck, ...] = (
    glossary.wrong_terms,
    questions.wrong_questions,
    wrong_entries,
    wrong_moves,
    unknown_api,
    wrong_inventories,
    between_languages,
    unused_files,
    shadowed_modules,
    wrong_records,
    stale_records,
    torch_versions.wrong_differences,
    wrong_attacks,
)

REVISION_CHECKS: tuple[RevisionCheck, ...] = (sections_to_read, since_revision)
"""Not cached: their results change with a commit, not with a file of the book."""


def problems_of_page(book: Book, file: str) -> tuple[Problem, ...]:
    """The problems of one page, apart from its other languages."""
    return tuple(p for check in PAGE_CHECKS for p in book.remember(_on_page, check, file))


def problems_in_files(
    book: Book, between: Callable[[], None] = lambda: None, since: Revision | None = None
) -> list[Problem]:
    """All problems that can be found without running anything.

    `between` is called after each page and each check of the book. What has changed is compared
    with `since`, or with the `base_revision`.
    """
    found = list(book.unreadable)
    for file in book.page_files:
        found += problems_of_page(book, file)
        between()
    for check in BOOK_CHECKS:
        found += book.remember(_on_book, check)
        between()
    if revision := since or base_revision(book.root):
        found += (problem for check in REVISION_CHECKS for problem in check(book, revision))
    return found


def _on_page(book: Book, check: PageCheck, file: str) -> tuple[Problem, ...]:
    return tuple(check(book.page(file), book))


def _on_book(book: Book, check: BookCheck) -> tuple[Problem, ...]:
    return tuple(check(book))
