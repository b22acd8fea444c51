"""Directives that show what the whole book holds: its glossary, its questions, its proof report.

A page writes `::: docs/glossary/terms.toml` and below it `part: <part>`; the questions likewise;
`::: lessons` lists those of the part that the page opens;
`::: report`, `::: claims`, `::: changed-digits`, `::: versions` and `::: other-versions` take no
option.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from proofbook.content import (
    changed_digits,
    glossary,
    lessons,
    questions,
    report,
    torch_versions,
)
from proofbook.directives.directive import Directive
from proofbook.directives.options import LESSONS, PART
from proofbook.model.config import BookConfig
from proofbook.model.page import Page, Reference
from proofbook.model.problem import Unproved

if TYPE_CHECKING:
    from proofbook.model.book import Book


def book_parts(config: BookConfig) -> tuple[Directive, ...]:
    """The directives; those of the TOML files have the files' names, which a book may choose."""
    return (
        Directive(config.glossary, _glossary_part, PART),
        Directive(config.questions, _questions_part, PART),
        Directive(lessons.NAME, lessons.lessons, LESSONS),
        Directive(report.NAME, lambda _, page, book: report.table(page.file, book)),
        Directive(report.VERSIONS, lambda _, page, book: report.versions(page.file, book)),
        Directive(
            changed_digits.NAME, lambda _, page, book: changed_digits.sentence(page.file, book)
        ),
        Directive(report.CLAIMS, lambda _, page, book: report.claims(page.file, book)),
        Directive(
            torch_versions.TABLE, lambda _, page, book: torch_versions.table(page.file, book)
        ),
    )


def _glossary_part(reference: Reference, page: Page, book: Book) -> list[str]:
    part = reference.option("part") or ""
    lines = glossary.entries(page, part, glossary.read_terms(book), book.page_file)
    return lines or _no_such_part(reference, page)


def _questions_part(reference: Reference, page: Page, book: Book) -> list[str]:
    part = reference.option("part") or ""
    lines = questions.entries(page, part, questions.read_questions(book), book.page_file)
    return lines or _no_such_part(reference, page)


def _no_such_part(reference: Reference, page: Page) -> list[str]:
    problem = page.problem(
        reference.line,
        "this names no part of the file",
        f"part: <a part that stands in {reference.path}>",
        f"part: {reference.option('part')}",
        "correct the part below this line",
    )
    raise Unproved([problem])
