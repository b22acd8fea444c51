"""Timelines: events and their places, drawn from what a snippet printed."""

from __future__ import annotations

import re

import pytest
from proofbook.directives.registry import expand
from proofbook.directives.timeline import Event, events
from proofbook.model.book import read_book
from proofbook.model.page import parse
from proofbook.model.problem import Unproved
from proofbook.testing.tiny_book import Book

RANKS = """\
rank 1: loads ...
rank 0: gradient: 2
not an event: 3
both: mean: 4
"""
PASSES = """\
there
  a: 1
  b: 2
  c
back:
  d: x: 3
after
"""
DOWN = """\
::: snippets/t/s.py
    figure: timeline
    lanes: rank 0 | rank 1 | both
    across: both
    caption: What to notice
"""
BACK = """\
# T { #one }

::: snippets/t/s.py
    figure: timeline
    lanes: there | back
    back: back
    leads: a=one
    caption: What to notice
"""


@pytest.fixture
def printed(book: Book) -> Book:
    book.write("snippets/t/s.out", RANKS)
    return book


def places(html: str) -> list[str]:
    return re.findall(r'<li class="event[^"]*" style="grid-area:([^"]*)">', html)


def test_a_line_is_an_event_of_the_lane_it_begins_with_or_stands_below():
    assert events(PASSES, ["there", "back"]) == [
        *(Event("there", "a", "1"), Event("there", "b", "2"), Event("there", "c")),
        Event("back", "d: x", "3"),
    ]


def test_time_goes_down_and_what_lasts_goes_on_to_the_next_event_of_its_lane(printed):
    drawn = expand(parse("t/p.en.md", DOWN), read_book(printed.root))
    assert places(drawn) == ["2/2/4/3", "3/1/4/2", "4/1/5/-1"]
    assert "<b>1</b>" in drawn and "What to notice</figcaption>" in drawn


def test_the_second_lane_goes_up_next_to_the_first(printed):
    printed.write("snippets/t/s.out", PASSES.replace("  d: x: 3\n", "  d: 3\n  e: 4\n"))
    drawn = expand(parse("t/p.en.md", BACK), read_book(printed.root))
    assert places(drawn) == ["2/1/3/2", "3/1/4/2", "4/1/5/2", "4/2/5/3", "2/2/3/3"]
    assert '<a href="#one">a</a>' in drawn


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (DOWN.replace("rank 0", "rank 2"), "no line for rank 2"),
        (DOWN.replace("across: both", "across: all"), "across: names no lane"),
        (DOWN.replace("    caption: What to notice\n", ""), "the timeline has no caption"),
        (DOWN + "    leads: mean=two\n", "mean leads to no section"),
        (DOWN + "    words: other=x\n", "no lane or event is called so"),
        (DOWN.replace("timeline", "trace"), "lanes: belongs to a timeline"),
    ],
)
def test_what_cannot_be_drawn_is_refused(printed, text, told):
    with pytest.raises(Unproved) as refused:
        expand(parse("t/p.en.md", text), read_book(printed.root))
    assert told in str(refused.value)


def test_on_another_page_than_an_english_one_each_text_has_its_words(printed):
    with pytest.raises(Unproved, match="not in the language of the page"):
        expand(parse("t/p.zh.md", DOWN), read_book(printed.root))
