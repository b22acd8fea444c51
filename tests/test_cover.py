"""The home page shows what is recorded: the streams of its cover, and what a wrong digit brings."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from gradtrace import parse_trace
from proofbook.directives.registry import load_module
from proofbook.markdown.expand import expand
from proofbook.model.book import read_book
from proofbook.model.page import parse
from proofbook.model.problem import Unproved

ROOT = Path(__file__).resolve().parent.parent

DIRECTIVES = ROOT / "theme/directives"
COVER = load_module(
    DIRECTIVES / "cover.py", "cover.py", (DIRECTIVES / "cover.py").read_text("utf-8")
)
SETTINGS = f"plugins: {{proofbook: {{directives: [{DIRECTIVES}]}}}}\n"
LOSSES = "snippets/accumulate/two_losses"
PAGE = "# T {{ #t }}\n\n::: {}\n    of: {}.py\n"


@pytest.fixture
def told(book):
    """The page `::: <what>` of a book with the snippet, whose recording or output is changed."""

    def told(what: str, language: str = "en", of: str = LOSSES, **changes: tuple[str, str]) -> str:
        book.write("mkdocs.yml", SETTINGS)
        for ending in ("py", "out", "trace"):
            text = (ROOT / f"{LOSSES}.{ending}").read_text("utf-8")
            if ending in changes:
                assert changes[ending][0] in text
                text = text.replace(*changes[ending])
            book.write(f"{LOSSES}.{ending}", text)
        return expand(parse(f"docs/t/p.{language}.md", PAGE.format(what, of)), read_book(book.root))

    return told


def test_the_streams_are_the_gradients_of_the_recording():
    cover = COVER.read_cover(parse_trace((ROOT / f"{LOSSES}.trace").read_text("utf-8")))
    told = [[(stop.name, stop.label) for stop in stream] for stream in cover.streams]
    assert told == [
        [("w", "48"), ("2 * w", "24"), ("y1", "24"), ("y2", "12"), ("loss2", "1")],
        [("w", "12"), ("2 * w", "6"), ("y1", "6"), ("y3", "−6"), ("loss3", "1")],
    ]
    assert cover.total == "60"


def test_a_stream_is_as_wide_as_its_gradient_is_large(told):
    svg = told("cover")
    tops = [
        (float(x), float(right))
        for x, right in re.findall(r'<path class="s\d"[^>]* d="M([\d.]+) 74.*?([\d.]+) 74z"', svg)
    ]
    assert [right - x for x, right in tops] == pytest.approx(
        [COVER.WIDEST * share / 60 for share in (48, 12)]
    )
    assert tops[0][1] == tops[1][0]
    assert svg.count('class="minus"') == 1 and "From loss3: 1, −6, 6, 6, 12." in svg
    assert "从 loss2 来的：1、12、24、24、48。" in told("cover", "zh")


def test_another_recording_is_another_drawing(told):
    before = told("cover")
    gradient = '"gin": [{"s": [], "v": 48}]'
    after = told("cover", trace=(gradient, gradient.replace("48", "30")))
    assert ">30</text>" in after and ">30</text>" not in before


@pytest.mark.parametrize(
    ("of", "change", "words"),
    [
        ("snippets/t/gone", {}, "gone.trace"),
        (
            LOSSES,
            {"trace": ('"gin": [{"s": [], "v": 48}]', '"gin": [{"s": [2], "v": [1, 2]}]')},
            "one",
        ),
        (LOSSES, {"trace": ('"before": {"s": [], "v": 48}', '"before": null')}, "the sum"),
    ],
)
def test_what_cannot_be_drawn_is_told_with_its_line(told, of, change, words):
    with pytest.raises(Unproved) as unproved:
        told("cover", of=of, **change)
    (problem,) = unproved.value.problems
    assert (problem.file, problem.line) == ("docs/t/p.en.md", 3)
    assert words in problem.found


def test_a_recording_of_the_cover_is_kept_and_compared(book, proof_command):
    """Nobody else needs to draw it: the cover alone has the script recorded."""
    book.write("mkdocs.yml", SETTINGS)
    for language in ("zh", "en"):
        page = book.read(f"docs/t/p.{language}.md")
        book.write(f"docs/t/p.{language}.md", f"{page}\n::: cover\n    of: snippets/t/s.py\n")
    status, _, said = proof_command("check")
    assert status == 1
    assert "the cover cannot be drawn" in said and "no recording is kept" in said


def test_one_wrong_digit_is_told_as_the_checks_tell_it(told):
    said = told("wrong-digit")
    assert f"{LOSSES}.out:1: {LOSSES}.py prints something else than what is recorded" in said
    assert "expected: after loss2, w.grad: tensor(58.)    (recorded" in said
    assert "found:    after loss2, w.grad: tensor(48.)    (what" in said
    assert "tensor(90.)" in told("wrong-digit", out=("tensor(48.)", "tensor(80.)"))
    with pytest.raises(Unproved) as unproved:
        told("wrong-digit", of="snippets/t/s")
    assert "no tensor in its output" in str(unproved.value)
