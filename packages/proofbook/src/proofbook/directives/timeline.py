"""`figure: timeline`: the printed lines of a snippet as events in lanes, in their order.

A lane is a text before a colon: `rank 0: bucket 1 is full` is an event of the lane `rank 0`. A line
that is the name of a lane alone, without or with a colon, is the lane of the indented lines below
it. What follows the last colon is the value of an event; an event that ends with `...` lasts until
the next one in its lane. Time goes down, with the lanes next to each other; with `back`, the lane
that it names goes up, next to the one before.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

from gradtrace.drawing.figure import format_sentence

from proofbook.directives.plot import rendered_labels
from proofbook.markdown.spans import Reference
from proofbook.model.config import FALLBACK
from proofbook.model.page import Page
from proofbook.model.problem import Problem

_WORDS = re.compile(r"[A-Za-z]{2}")


@dataclass(frozen=True)
class Event:
    """A printed line: its lane, its title and its value, both as printed."""

    lane: str
    title: str
    value: str = ""

    @property
    def lasts(self) -> bool:
        """Whether it goes on until the next event of its lane."""
        return (self.value or self.title).endswith("...")


def events(output: str, lanes: Sequence[str]) -> list[Event]:
    """The events in the output of a snippet."""
    found, current = [], None
    for line in output.split("\n"):
        name, colon, rest = line.partition(":")
        if name in lanes and not rest.strip():
            current = name
        elif name in lanes and colon:
            found.append(_event(name, rest))
        elif line.startswith(" ") and current:
            found.append(_event(current, line))
        else:
            current = None
    return found


def _event(lane: str, text: str) -> Event:
    title, colon, value = text.strip().rpartition(": ")
    return Event(lane, title, value) if colon else Event(lane, value)


def problems(page: Page, reference: Reference, output: str) -> Iterator[Problem]:
    """The reasons why the timeline cannot be drawn as the page requests."""

    def problem(what: str, expected: str, found: str) -> Problem:
        return page.problem(reference.line, what, expected, found, "correct the options below")

    lanes = reference.listed("lanes")
    shown = events(output, lanes)
    empty = [lane for lane in lanes if all(event.lane != lane for event in shown)]
    if not lanes or empty:
        what, expected = "the timeline has no events", "lanes: <how lines of the output begin>"
        yield problem(what, expected, f"no line for {', '.join(empty)}" if empty else "no lanes")
        return
    for option in ("back", "across"):
        lane = reference.option(option)
        if lane is not None and lane not in lanes[option == "back" :]:
            yield problem(f"{option}: names no lane", " | ".join(lanes), lane)
    if not reference.option("caption"):
        yield problem("the timeline has no caption", "caption: <what to notice>", "none")
    texts = dict.fromkeys([*lanes, *(event.title for event in shown)])
    words = rendered_labels(reference.option("words"))
    leads = rendered_labels(reference.option("leads"))
    values = {event.value for event in shown}
    for label in (*words, *leads):
        if label not in texts and label not in values:
            yield problem("no lane or event is called so", ", ".join(texts), label)
    if page.language != FALLBACK:
        for label in texts:
            if _WORDS.search(label) and label not in words:
                what = "a text of the timeline is not in the language of the page"
                yield problem(what, f"words: {label}=<in {page.language}>", "not there")
    known = {anchor for anchor, _ in page.anchors}
    for label, anchor in leads.items():
        if anchor not in known:
            yield problem(f"{label} leads to no section", "an anchor of this page", anchor)


_Heads = dict[str, tuple[int, int, int]]
"""The row and the column of each lane's name, and the row where its line ends, or 0."""
_Places = list[tuple[int, int, int | str, int | str]]
"""The `grid-area` of each event."""


def _down(
    shown: Sequence[Event], lanes: Sequence[str], across: str | None
) -> tuple[_Heads, _Places]:
    """A row for each event, a column for each lane; what happens `across` all takes all columns."""
    columns = {lane: column for column, lane in enumerate((n for n in lanes if n != across), 1)}
    places, last = [], len(shown) + 2
    for row, event in enumerate(shown, 2):
        later = (
            n
            for n, each in enumerate(shown[row - 1 :], row + 1)
            if each.lane in (event.lane, across)
        )
        end = next(later, last) if event.lasts else row + 1
        column = columns.get(event.lane)
        places.append((row, column, end, column + 1) if column else (row, 1, end, -1))
    return {lane: (1, column, last) for lane, column in columns.items()}, places


def _there_and_back(shown: Sequence[Event], lanes: Sequence[str]) -> tuple[_Heads, _Places]:
    """The first lane goes down, the second up next to it; below them others, two events a row."""
    counts = {lane: sum(event.lane == lane for event in shown) for lane in lanes}
    high = max(counts[lane] for lane in lanes[:2])
    heads = {lane: (1, column, high + 2) for column, lane in enumerate(lanes[:2], 1)}
    row = high + 3
    for lane in lanes[2:]:
        heads[lane] = (row, 1, 0)
        row += 1 + (counts[lane] + 1) // 2
    places, passed = [], dict.fromkeys(lanes, 0)
    for event in shown:
        at, count = passed[event.lane], counts[event.lane]
        passed[event.lane] += 1
        first, column, end = heads[event.lane]
        if end:
            step = round(at * (high - 1) / max(count - 1, 1))
            row = 2 + step if column == 1 else high + 1 - step
        else:
            row, column = first + 1 + at // 2, 1 + at % 2
        places.append((row, column, row + 1, column + 1))
    return heads, places


def draw(reference: Reference, output: str, _language: str) -> list[str]:
    """Lines of HTML: a list of the events, each placed in a grid of lanes and moments."""
    lanes = reference.listed("lanes")
    shown = events(output, lanes)
    words = rendered_labels(reference.option("words"))
    leads = rendered_labels(reference.option("leads"))
    back, across = reference.option("back"), reference.option("across")
    heads, places = _there_and_back(shown, lanes) if back else _down(shown, lanes, across)
    items = []
    for lane, (row, column, end) in heads.items():
        side = " back" if lane == back else ""
        if end:
            area = f"2/{column}/{end}"
            items.append(f'<li class="track{side}" style="grid-area:{area}" aria-hidden="true">')
        name, area = escape(words.get(lane, lane)), f"{row}/{column}" + "/auto/-1" * (not end)
        items.append(f'<li class="lane{side}" style="grid-area:{area}" aria-hidden="true">{name}')
    if back:
        row = heads[back][2]
        items.append(f'<li class="turn" style="grid-area:{row}/1/auto/-1" aria-hidden="true">')
    for number, (event, place) in enumerate(zip(shown, places, strict=True), 1):
        classes = ["event", *["back"] * (event.lane == back), *["lasts"] * event.lasts]
        title, lane, value = (
            escape(words.get(text, text)) for text in (event.title, event.lane, event.value)
        )
        if anchor := leads.get(event.title):
            title = f'<a href="#{anchor}">{title}</a>'
        value = f" <code>{value}</code>" if value else ""
        area = "/".join(map(str, place))
        items.append(
            f'<li class="{" ".join(classes)}" style="grid-area:{area}">'
            f'<b>{number}</b><span><span class="of">{lane}: </span>{title}</span>{value}'
        )
    caption = format_sentence(reference.option("caption") or "")
    columns = 2 if back else len(heads)
    return [
        f'<figure class="timeline" style="--lanes:{columns}" data-search-exclude><ol>',
        *items,
        f"</ol><figcaption>{caption}</figcaption></figure>",
    ]
