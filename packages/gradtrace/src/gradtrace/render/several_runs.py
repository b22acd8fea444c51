"""What the player reads of several runs of a script: the same script, with other numbers in it.

Most that they tell and show is alike, so it is packed together, part by part of the recordings.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest

from gradtrace.graph.build import Graph
from gradtrace.graph.excerpt import excerpts
from gradtrace.graph.groups import ROOT
from gradtrace.graph.module_group import module_paths
from gradtrace.graph.passes import backward_passes
from gradtrace.narrate.languages import LANGUAGES
from gradtrace.render.figure import caption, format_sentence
from gradtrace.render.folded import CHANGES_END, FoldedFigure, fold_parts
from gradtrace.render.svg import draw_svg
from gradtrace.render.templates import as_templates
from gradtrace.render.varied import VariedNumber, own_run
from gradtrace.trace import Trace

MAX_PRINTED = 4_000
"""Characters of what a run has printed: the last."""


@dataclass(frozen=True)
class PlayedRun:
    """What is played of a run, and what is said of it. `trace`: None where nothing was recorded
    that can be drawn; then what is `said` is all there is, and the `line` at which it ended."""

    trace: Trace | None
    printed: str
    said: Sequence[str] = ()
    line: int | None = None


@dataclass(frozen=True)
class VariedRuns:
    """The runs with all combinations of the values of `numbers`, that of the last number changing
    fastest."""

    numbers: Sequence[VariedNumber]
    runs: Sequence[PlayedRun]

    @property
    def own(self) -> int:
        """Which of the runs is the script as it is."""
        return own_run(self.numbers)


@dataclass(frozen=True)
class NothingDrawn:
    """Stands for the figure of a run of which nothing can be drawn: one step, which says why."""

    said: str
    line: int | None
    language: str
    structure: tuple = ()
    shape: tuple = ()

    @property
    def label(self) -> str:
        """What the part is called in a list of all."""
        return LANGUAGES[self.language]["no_pass"]

    def with_room_for(self, _: object) -> NothingDrawn:
        """Itself: there is nothing that would need room."""
        return self

    def drawings(self) -> list[str]:
        """An empty picture."""
        return [draw_svg(Graph({}, (), {}), {}, "trace", self.language, "")]

    def told(self) -> list[str]:
        """The one step."""
        return [CHANGES_END + format_sentence(self.said)]

    def outline(self) -> dict:
        """As of a figure."""
        return {
            "steps": [[self.line or 0], [""], [""], [0], [0]],
            "members": [ROOT],
            "ends": [],
            "groups": [["", ""]],
            "boxes": [],
            "start": [ROOT, 1],
        }


Figure = FoldedFigure | NothingDrawn


def around(figure: Figure) -> dict[str, str]:
    """What is said around a figure: the words of the player, the caption, and what the list of
    steps is called."""
    phrases = LANGUAGES[figure.language]
    count, told = 1, ""
    if isinstance(figure, FoldedFigure):
        count = len(figure.steps)
        told = caption(figure.part.trace, figure.graph, figure.texts, phrases)
    return {
        "words": phrases["buttons"].format(count=count),
        "caption": told,
        "summary": phrases["all_steps"].format(count=count),
    }


def data_of_runs(figures: Sequence[Figure | None]) -> dict:
    """What the player reads of one part of several recordings; None for a run without this part.

    `told` and `views` are of all runs, `kept` is what else is in them; of each run there is where
    its sentences and its pictures begin, and for each other name which of the kept it is.
    """
    told: list[str] = []
    views: list[str] = []
    first_view: dict[tuple, int] = {}
    kept: dict[str, int] = {}
    runs: list[list | None] = []
    for figure in figures:
        if figure is None:
            runs.append(None)
            continue
        structure = figure.structure
        if structure not in first_view:
            first_view[structure] = len(views)
            views += figure.with_room_for(alike(figure, figures)).drawings()
        others = {
            name: kept.setdefault(json.dumps(value, ensure_ascii=False), len(kept))
            for name, value in {**figure.outline(), **around(figure)}.items()
        }
        runs.append([len(told), first_view[structure], others])
        told += figure.told()
    return {
        "told": as_templates(told),
        "views": as_templates(views),
        "kept": [json.loads(value) for value in kept],
        "runs": runs,
    }


def alike(figure: Figure, figures: Sequence[Figure | None]) -> list[Figure]:
    """The figures whose pictures show the same as that of one, but for values."""
    return [each for each in figures if each and each.structure == figure.structure]


def columns_of_runs(
    varied: VariedRuns,
    figures: Sequence[FoldedFigure],
    first: int,
    passes: tuple[int, int] | None,
    module: str,
) -> list[list[Figure | None]]:
    """For each part of the recordings the figures of all runs, None where a run has less parts; of
    the one that is shown `first`, every run has a figure. `figures`: of the script as it is;
    `passes`, `module`: as a page has them."""
    language = figures[0].language
    rows: list[list[Figure | None]] = []
    for index, run in enumerate(varied.runs):
        row: list[Figure | None]
        if index == varied.own:
            row = list(figures)
        elif run.trace is None:
            row = [NothingDrawn(" ".join(run.said), run.line, language)]
        else:
            asked = passes if passes and passes[1] <= len(backward_passes(run.trace)) else None
            path = module if module in module_paths(run.trace) else ""
            row = [*fold_parts(run.trace, excerpts(run.trace, asked), language, path)]
        row[-1:] = [*[None] * (first + 1 - len(row)), row[-1]]
        rows.append(row)
    return [list(column) for column in zip_longest(*rows)]


def said_of_runs(varied: VariedRuns, columns: Sequence[Sequence[Figure | None]]) -> dict:
    """What is said of each run: whether its graph is another one, what it printed, how it ended,
    and what its parts are called."""
    texts: dict[str, int] = {}
    rows = []
    for index, run in enumerate(varied.runs):
        pairs = [(column[index], column[varied.own]) for column in columns]
        another = any(one and other and one.shape not in ((), other.shape) for one, other in pairs)
        said = " ".join(format_sentence(sentence) for sentence in run.said if run.trace)
        labels = [one.label if one else None for one, _ in pairs]
        words = "another" if another else None, last_printed(run.printed), said, *labels
        rows.append([-1 if w is None else texts.setdefault(w, len(texts)) for w in words])
    return {"texts": list(texts), "runs": rows}


def last_printed(printed: str) -> str:
    """What a run printed, if that is much: the last of it."""
    printed = printed.rstrip("\n")
    return printed if len(printed) <= MAX_PRINTED else f"…{printed[-MAX_PRINTED:]}"
