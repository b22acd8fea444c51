"""The field that an error is pasted into, with its traceback: `::: paste-error`."""

from __future__ import annotations

from proofbook.directives import Directive
from proofbook.markdown.spans import Reference
from proofbook.model.book import Book
from proofbook.model.page import Page
from proofbook.model.problem import Unproved

NAME = "paste-error"
PLACEHOLDER = "data-paste"
"""The attribute of the element that `proofbook.html.messages` replaces by the field."""


def _expand(reference: Reference, page: Page, book: Book) -> list[str]:
    file = book.page_file(book.config.messages, page.language)
    if file in book.page_files:
        return [f"{reference.indent}<span {PLACEHOLDER}></span>"]
    what, expected = "the book has no page of messages", f"a page {book.config.messages}"
    fix = "write that page, or name another one in the option messages of the plugin"
    raise Unproved([page.problem(reference.line, what, expected, f"no {file}", fix)])


DIRECTIVE = Directive(NAME, _expand, site_only=True)
