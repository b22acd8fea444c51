"""The formulas of a page: the only place where they are found in its text."""

from __future__ import annotations

import re
from collections.abc import Iterator

from proofbook.markdown.prose import without_code
from proofbook.model.page import Page

MATHS = re.compile(
    r"\$\$(?P<block>.*?)\$\$|(?<![\\$])\$(?!\s)(?P<inline>[^$\n]+?)(?<!\s)\$(?!\d)", re.DOTALL
)


def maths_of(page: Page) -> Iterator[re.Match]:
    """The formulas of a page, inline and displayed."""
    yield from MATHS.finditer(without_code(page))
