"""The home page shows what a wrong digit brings: computed from the output beside the script."""

from __future__ import annotations

from pathlib import Path

import pytest
from proofbook.directives.registry import expand
from proofbook.model.book import read_book
from proofbook.model.page import parse
from proofbook.model.problem import Unproved

DIRECTIVES = Path(__file__).resolve().parent.parent / "theme/directives"
SETTINGS = f"plugins: {{proofbook: {{directives: [{DIRECTIVES}]}}}}\n"


@pytest.fixture
def told(book):
    """The page `::: wrong-digit` of a book whose script has this output."""

    def told(output: str) -> str:
        book.write("mkdocs.yml", SETTINGS)
        book.write("snippets/t/s.out", output)
        page = parse("docs/t/p.en.md", "# T { #t }\n\n::: wrong-digit\n    of: snippets/t/s.py\n")
        return expand(page, read_book(book.root))

    return told


@pytest.mark.parametrize(
    ("found", "expected"), [("48.", "58."), ("-4.", "-5."), ("90.", "00."), ("[1., 2.]", None)]
)
def test_one_wrong_digit_is_told_as_the_checks_tell_it(told, found, expected):
    output = f"loss: 1.0\nw.grad: tensor({found})\n"
    if expected is None:
        with pytest.raises(Unproved) as unproved:
            told(output)
        (problem,) = unproved.value.problems
        assert (problem.file, problem.line) == ("docs/t/p.en.md", 3)
        assert "no tensor in its output" in problem.found
        return
    said = told(output)
    assert "snippets/t/s.out:2: snippets/t/s.py prints something else than what is recorded" in said
    assert f"expected: w.grad: tensor({expected})    (recorded" in said
    assert f"found:    w.grad: tensor({found})    (what" in said
