"""The figure of a script in which a reader changes numbers: it was recorded with each of them.

The page holds the figure of the script as it is. What the other runs did is data, which
`trace-vary.js` puts in the place of it: nothing is computed in the browser.
"""

from __future__ import annotations

import html
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace

from gradtrace.graph.passes import select_passes
from gradtrace.graph.streams import largest_flow
from gradtrace.narrate.languages import LANGUAGES
from gradtrace.render.arrangement import arrange
from gradtrace.render.figure import FigureParts, assemble, caption, figure_parts
from gradtrace.render.svg import draw_svg
from gradtrace.trace import Trace


@dataclass(frozen=True)
class VariedNumber:
    """A number of the script that can be changed.

    `name` is what an address calls it, `label` what the page does: `v` and `v[0]` for an element.
    `line` counts from 1, `start` and `end` are characters of that line, from 0; `values` are as
    code has them, and `own` is which of them is the script's.
    """

    name: str
    label: str
    line: int
    start: int
    end: int
    values: Sequence[str]
    own: int


@dataclass(frozen=True)
class VariedRun:
    """What the script printed with some of the values, and its trace."""

    printed: str
    trace: Trace


@dataclass(frozen=True)
class VariedFigure:
    """The HTML of the figure, and the data of all runs, a JSON text."""

    html: str
    data: str


def draw_varied_figure(
    numbers: Sequence[VariedNumber],
    runs: Sequence[VariedRun],
    identity: str,
    language: str,
    passes: tuple[int, int] | None = None,
    source: str = "",
) -> VariedFigure:
    """The figure of a script with numbers to change. The `runs` are those of all combinations of
    their values, that of the last number changing fastest; `source` is the address of the data.

    Runs with the same graph share one picture, in which each box has room for all that it ever
    shows; the data has further pictures.
    """
    shown = (select_passes(run.trace, *passes) if passes else run.trace for run in runs)
    largest = max(map(largest_flow, shown))  # so that the width of a stream changes with a number
    parts = [figure_parts(run.trace, identity, language, passes, largest) for run in runs]
    own = own_run(numbers)
    pictures: dict[tuple, str] = {}
    for part in (parts[own], *parts):
        structure = _structure(part)
        if structure not in pictures:
            alike = [each for each in parts if _structure(each) == structure]
            texts = _texts(alike, part)
            # The player fills in those that the page does not show first.
            empty = None if part is parts[own] else arrange(part.graph, texts, language)
            pictures[structure] = draw_svg(
                part.graph, texts, identity, language, part.description, empty
            )
    strings: dict[str, int] = {}

    def number_of(text: str) -> int:
        return strings.setdefault(text, len(strings))

    rows = []
    own_structure = _structure(parts[own])
    for run, part in zip(runs, parts, strict=True):
        structure = _structure(part)
        picture = -1 if structure == own_structure else number_of(pictures[structure])
        texts = run.printed, part.description, part.summary, part.words, *part.items
        rows.append([picture, *map(number_of, texts)])
    data = {"texts": list(strings), "runs": rows}
    texts = _texts(parts, parts[own])
    legend = caption(runs[own].trace, parts[own].graph, texts, LANGUAGES[language])
    controls = number_controls(numbers, language, source)
    return VariedFigure(
        assemble(
            replace(parts[own], caption=legend),
            pictures[own_structure],
            identity,
            language,
            controls,
        ),
        json.dumps(data, ensure_ascii=False, separators=(",", ":")),
    )


def own_run(numbers: Sequence[VariedNumber]) -> int:
    """Which of the runs is that with the numbers of the script."""
    index = 0
    for number in numbers:
        index = index * len(number.values) + number.own
    return index


def _structure(part: FigureParts) -> tuple:
    """What a picture has to have in common with another to show the same runs."""
    return tuple(part.graph.boxes.values()), part.graph.edges


def _texts(alike: Sequence[FigureParts], last: FigureParts) -> Mapping[str, Sequence[str]]:
    """All that the slots show in several runs, last what they show at the end of one of them."""
    texts: dict[str, list[str]] = {}
    for part in (*alike, last):
        for slot, shown in part.texts.items():
            texts.setdefault(slot, []).extend(shown)
    for slot in texts.keys() - last.texts.keys():
        texts[slot].append("")
    return texts


def number_controls(
    numbers: Sequence[VariedNumber], language: str, source: str = "", with_graph: bool = True
) -> str:
    """The HTML of the controls with which a reader changes numbers. `source`: the address of the
    data. `with_graph`: whether they say it where another graph is shown."""
    given = html.escape(json.dumps([asdict(number) for number in numbers], ensure_ascii=False))
    words = LANGUAGES[language]["vary"].split("|")
    words = html.escape("|".join(words if with_graph else [*words[:3], "", *words[4:]]))
    return (
        f'<trace-vary data-numbers="{given}" data-words="{words}" data-src="{source}"></trace-vary>'
    )
