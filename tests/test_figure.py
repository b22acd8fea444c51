"""Figures of recorded runs on a page of a book."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from gradtrace import LANGUAGES, Trace, draw_figure, format_trace, parse_trace
from proofbook.directives.registry import expand
from proofbook.model.book import read_book
from proofbook.model.page import parse
from proofbook.model.problem import Unproved
from proofbook.testing.tiny_book import Book

ROOT = Path(__file__).resolve().parents[1]
PAGE = "::: snippets/t/s.py\n    figure: trace\n"


@pytest.fixture(scope="module")
def two_losses() -> Trace:
    return parse_trace((ROOT / "snippets/accumulate/two_losses.trace").read_text("utf-8"))


@pytest.fixture
def traced(book: Book, two_losses: Trace) -> Book:
    for ending in ("py", "out"):
        text = (ROOT / f"snippets/accumulate/two_losses.{ending}").read_text("utf-8")
        book.write(f"snippets/t/s.{ending}", text)
    book.write("snippets/t/s.trace", format_trace(two_losses))
    return book


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_figure_stands_after_the_output(traced, two_losses, language):
    text = expand(parse(f"t/p.{language}.md", PAGE), read_book(traced.root))
    before, figure = text.split("```\n\n<figure")
    assert before.endswith("after step, w: tensor(-59., requires_grad=True)\n")
    assert f"<figure{figure}" == draw_figure(two_losses, "trace-t-s", language) + "\n"


def test_passes_are_asked_for_on_the_page(traced, two_losses):
    text = expand(parse("t/p.en.md", PAGE + "    passes: 2\n"), read_book(traced.root))
    assert draw_figure(two_losses, "trace-t-s-passes-2", "en", (2, 2)) in text


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (PAGE + "    passes: 3\n", "the trace has no such passes"),
        (PAGE + "    passes: first\n", "passes from 1 to 2"),
        (PAGE + "    captions: a\n", "captions: belongs to a grid"),
        ("::: snippets/t/s.py\n    passes: 1\n", "passes: belongs to a trace"),
        (PAGE + "    figure: trace\n", "the option stands twice"),
    ],
)
def test_what_cannot_be_drawn_is_refused(traced, text, found):
    with pytest.raises(Unproved, match=found):
        expand(parse("docs/t/p.zh.md", text), read_book(traced.root))


@pytest.mark.parametrize(
    ("lost", "found"),
    [
        (".+", "the snippet has no recorded trace"),
        ('"n0": .*', "a trace that tells of 'n0' without describing it"),
        ('.*"k": ?"(?!print).*', "no backward pass ran"),
    ],
)
def test_a_trace_that_lost_lines_is_not_drawn(traced, two_losses, lost, found):
    lines = format_trace(two_losses).splitlines(keepends=True)
    kept = [line for line in lines if not re.fullmatch(lost, line.rstrip("\n"))]
    assert len(kept) < len(lines)
    traced.write("snippets/t/s.trace", "".join(kept))
    with pytest.raises(Unproved, match=found):
        expand(parse("docs/t/p.zh.md", PAGE), read_book(traced.root))
