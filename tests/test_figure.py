"""Figures of recorded runs on a page of a book, and their words."""

from __future__ import annotations

import copy
import re
from pathlib import Path

import pytest
from gradtrace import LANGUAGES, Trace, draw_figure, format_trace, parse_trace
from proofbook.content.glossary import read_terms
from proofbook.directives.registry import expand
from proofbook.model.book import read_book
from proofbook.model.page import parse
from proofbook.model.problem import Unproved
from proofbook.testing.tiny_book import Book

ROOT = Path(__file__).resolve().parents[1]
PAGE = "::: snippets/t/s.py\n    figure: trace\n"


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_words_are_those_of_the_glossary(language):
    terms = read_terms(read_book(ROOT)).all
    right = {name.lower() for term in terms for name in term.names(language)}
    wrong = "|".join(re.escape(n) for t in terms for n in t.wrong if n.lower() not in right)
    for text in LANGUAGES[language].values():
        told = re.sub("`[^`]*`|{[^}]*}", "", text)
        assert not re.search(rf"(?i)(?<![a-z])(?:{wrong})(?![a-z])", told), text


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
    told = expand(parse(f"t/p.{language}.md", PAGE), read_book(traced.root))
    before, figure = told.split("```\n\n<figure")
    assert before.endswith("after step, w: tensor(-59., requires_grad=True)\n")
    assert f"<figure{figure}" == draw_figure(two_losses, "trace-t-s", language) + "\n"


def test_passes_are_asked_for_on_the_page(traced, two_losses):
    told = expand(parse("t/p.en.md", PAGE + "    passes: 2\n"), read_book(traced.root))
    assert draw_figure(two_losses, "trace-t-s-passes-2", "en", (2, 2)) in told


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (PAGE + "    passes: 3\n", "the trace has no such passes"),
        (PAGE + "    passes: 2-1\n", "the trace has no such passes"),
        (PAGE + "    passes: first\n", "passes from 1 to 2"),
        (PAGE + "    captions: a\n", "the figure cannot be drawn"),
        ("::: snippets/t/s.py\n    passes: 1\n", "the figure cannot be drawn"),
        (PAGE + "    figure: trace\n", "the option stands twice"),
    ],
)
def test_what_cannot_be_drawn_is_refused(traced, text, told):
    with pytest.raises(Unproved, match=told):
        expand(parse("docs/t/p.zh.md", text), read_book(traced.root))


@pytest.mark.parametrize("text", [None, "{", '{"format": 2}'])
def test_a_trace_that_is_missing_or_none_is_told(traced, text):
    if text is None:
        traced.remove("snippets/t/s.trace")
    else:
        traced.write("snippets/t/s.trace", text)
    with pytest.raises(Unproved, match="the snippet has no recorded trace"):
        expand(parse("docs/t/p.zh.md", PAGE), read_book(traced.root))


@pytest.mark.parametrize("lost", ["n0", "t0"])
def test_a_trace_that_lost_a_line_is_told(traced, two_losses, lost):
    kept = format_trace(two_losses).splitlines(keepends=True)
    text = "".join(line for line in kept if not line.startswith(f'"{lost}": '))
    assert len(text.splitlines()) == len(kept) - 1
    traced.write("snippets/t/s.trace", text)
    with pytest.raises(Unproved, match=f"a trace that tells of '{lost}' without describing it"):
        expand(parse("docs/t/p.zh.md", PAGE), read_book(traced.root))


def test_a_trace_without_a_backward_pass_is_no_figure(traced, two_losses):
    kept = [event for event in two_losses.events if event["k"] == "print"]
    nothing = copy.copy(two_losses)
    nothing.events = kept
    traced.write("snippets/t/s.trace", format_trace(nothing))
    with pytest.raises(Unproved, match="no backward pass ran"):
        expand(parse("docs/t/p.zh.md", PAGE), read_book(traced.root))
