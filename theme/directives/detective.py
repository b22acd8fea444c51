"""The cases of the gradient detective: what its checker and the doctor say of a script.

::: verdict                  what the checker, `docs/labs/detective.py`, says at first
    of: 7
::: doctor                   what `gradtrace doctor` says
    of: 7

Both are recorded in `docs/labs/detective.toml`: `python tests/test_detective.py` writes it, and the
test compares.
"""

from __future__ import annotations

import tomllib

from proofbook.directives import Directive
from proofbook.markdown.spans import Reference
from proofbook.model.book import Book
from proofbook.model.page import Page
from proofbook.model.problem import Unproved

RECORDED = "docs/labs/detective.toml"
OPTIONS = {"of": "of: <the number of a case>"}


def _recorded(reference: Reference, page: Page, book: Book) -> str:
    """What checker or doctor said of a case, in the language of the page."""
    case = reference.option("of") or ""
    said = tomllib.loads(book.text(RECORDED)).get(case)
    if said is None:
        what, fix = "nothing is recorded of this case", "python tests/test_detective.py"
        raise Unproved([page.problem(reference.line, what, OPTIONS["of"], f"of: {case}", fix)])
    return said[reference.path][page.language].rstrip("\n")


def _shown(reference: Reference, page: Page, book: Book) -> list[str]:
    said = _recorded(reference, page, book).split("\n")
    return [f"```{{ .text .{reference.path} }}", *said, "```"]


DIRECTIVES = [
    Directive("verdict", _shown, OPTIONS, site_only=True),
    Directive("doctor", _shown, OPTIONS, site_only=True),
]
