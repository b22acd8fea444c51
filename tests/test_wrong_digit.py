"""The home page shows what a wrong digit brings: computed from the output next to the script."""

from __future__ import annotations

from pathlib import Path

import pytest
from proofbook.directives.registry import expand
from proofbook.model.book import read_book
from proofbook.model.page import parse
from proofbook.model.problem import Unproved

DIRECTIVES = Path(__file__).resolve().parent.parent / "theme/directives"


@pytest.mark.parametrize(
    ("found", "expected"), [("48.", "58."), ("-4.", "-5."), ("90.", "00."), ("[1., 2.]", None)]
)
def test_one_wrong_digit_is_reported_as_the_checks_do(book, found, expected):
    book.write("mkdocs.yml", f"plugins: {{proofbook: {{directives: [{DIRECTIVES}]}}}}\n")
    book.write("snippets/t/s.out", f"loss: 1.0\nw.grad: tensor({found})\n")
    page = parse("docs/t/p.en.md", "# T { #t }\n\n::: wrong-digit\n    of: snippets/t/s.py\n")
    if expected is None:
        with pytest.raises(Unproved, match=r"docs/t/p.en.md:3: [^~]*no tensor in its output"):
            expand(page, read_book(book.root))
        return
    said = expand(page, read_book(book.root))
    assert "snippets/t/s.out:2: snippets/t/s.py prints something else than what is recorded" in said
    assert f"expected: w.grad: tensor({expected})    (recorded" in said
    assert f"found:    w.grad: tensor({found})    (what" in said
