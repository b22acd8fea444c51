"""The data of the player of a stand-alone page: steps and pictures of the parts of each run."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import zip_longest

from gradtrace.drawing.figure import (
    VariedNumber,
    VariedRun,
    caption,
    format_sentence,
    own_run,
    table_of_texts,
    texts_of_all,
    with_flows,
)
from gradtrace.drawing.svg import arrange_alike, draw_svg
from gradtrace.graph.build import Graph, build_graph
from gradtrace.graph.groups import (
    ROOT,
    Group,
    Groups,
    Views,
    group_boxes,
    group_of_module,
    module_paths,
    outermost_with_layers,
)
from gradtrace.graph.index import TraceIndex
from gradtrace.graph.parameters import Parameter, parameters
from gradtrace.graph.passes import Excerpt, backward_passes, excerpts
from gradtrace.story.groups import group_notes, group_titles, norms_of_groups
from gradtrace.story.steps import Step, list_steps, texts_of_slots
from gradtrace.trace import Trace
from gradtrace.words import LANGUAGES

PLACE = "\x7f"
"""The placeholder of a number in a template; in a text it is stored as a number itself."""

_NUMBER = re.compile(rf"[−-]?\d+(?:\.\d+)*(?:e[+−-]?\d+)?|{PLACE}")

Templates = tuple[list[str], list[int], list[list[str]]]
"""Templates; for each text the index of its own; for each template its columns of numbers, which
are separated by spaces."""


def as_templates(texts: Iterable[str]) -> Templates:
    """The templates of texts. A number that is the same wherever a template is used stays in it."""
    rows: dict[tuple[str, ...], list[list[str]]] = {}
    kinds: dict[tuple[str, ...], int] = {}
    which = []
    for text in texts:
        between = tuple(_NUMBER.split(text))
        rows.setdefault(between, []).append(_NUMBER.findall(text))
        which.append(kinds.setdefault(between, len(kinds)))
    templates, columns = [], []
    for between, found in rows.items():
        template, varying = [between[0]], []
        for column, after in zip(zip(*found, strict=True), between[1:], strict=True):
            same = len(set(column)) == 1 and column[0] != PLACE
            template += [column[0] if same else PLACE, after]
            varying += [] if same else [" ".join(column)]
        templates.append("".join(template))
        columns.append(varying)
    return templates, which, columns


def relative_keys() -> Callable[[str], str]:
    """A function that writes numbers in keys of boxes, edges and slots relative to the last."""
    last: dict[str, int] = {}

    def relative(match: re.Match[str]) -> str:
        kind, number = match[1], int(match[2])
        step, last[kind] = number - last.get(kind, 0), number
        return f"{kind}{step}"

    return lambda key: re.sub(r"([a-z]+)(\d+)", relative, key)


def with_relative_keys(svg: str) -> str:
    """A picture whose keys are relative."""
    write = relative_keys()
    return re.sub(r'(?<=data-k=")[^"]+', lambda match: write(match[0]), svg)


SLOT_END, CHANGES_END = "\x1f", "\x1e"
"""Separates the texts of slots that a step changes, and these from its sentence."""


@dataclass(frozen=True)
class FoldedFigure:
    """The graph of a part, how it is folded, its steps, and all texts that its slots show."""

    part: Excerpt
    language: str
    graph: Graph
    groups: Groups
    titles: Mapping[str, str]
    notes: Mapping[str, str]
    steps: tuple[Step, ...]
    texts: Mapping[str, list[str]]
    module: str = ""
    """The path of the module that the reader asked for."""

    @property
    def label(self) -> str:
        """The title of the part in a list of all."""
        phrases = LANGUAGES[self.language]
        if not self.part.first:
            return phrases["failed_forward" if self.part.fails else "no_pass"]
        key = "pass" if self.part.first == self.part.last else "passes_from"
        label = phrases[key].format(first=self.part.first, last=self.part.last)
        return phrases["failing"].format(label=label) if self.part.fails else label

    @property
    def failing_step(self) -> int:
        """The number of the step at which it failed, from 1; 0 where it didn't."""
        return max((n for n, step in enumerate(self.steps, 1) if step.kind == "error"), default=0)

    @property
    def first_view(self) -> str:
        """The group that is open at first: the one of the requested module, the one in which the
        run failed, or the outermost that shows more than two folded boxes."""
        if self.module:
            return group_of_module(self.part.trace, self.groups, self.module)
        for step in reversed(self.steps[: self.failing_step]):
            for key in reversed(step.touches):
                if key in self.graph.boxes:
                    return self.groups.parent[key]
        return outermost_with_layers(self.groups)

    @cached_property
    def view(self) -> Callable[[str], Graph]:
        """The graph that is shown when a group is open, by the key of the group."""
        return Views(self.graph, self.groups, self.titles, self.notes).view

    def picture(self, group: str, description: str) -> str:
        """The SVG of an open group, with the texts of the last step."""
        return draw_svg(self.view(group), self.texts, "trace", self.language, description)

    @property
    def structure(self) -> tuple:
        """What this figure's pictures share with those of one that differs only in values."""
        groups = tuple((key, group.members) for key, group in self.groups.by_key.items())
        names = tuple(self.titles.items()), tuple(self.notes.items())
        return self.graph.structure, groups, *names

    @property
    def shape(self) -> tuple:
        """The kinds of the boxes, and the edges: these distinguish graphs for a reader."""
        boxes = ((box.key, box.kind, box.node) for box in self.graph.boxes.values())
        return tuple(boxes), tuple((e.source, e.target, e.kind) for e in self.graph.edges)

    def with_room_for(self, figures: Iterable[FoldedFigure]) -> FoldedFigure:
        """This figure, with room in its pictures for all texts of others of this structure."""
        return replace(self, texts=texts_of_all(self.texts, (each.texts for each in figures)))

    def drawings(self) -> list[str]:
        """The pictures of all groups, in their order, with keys that are relative."""
        graphs = list(map(self.view, self.groups.by_key))
        arranged = arrange_alike(graphs, self.texts, self.language)
        return [
            with_relative_keys(draw_svg(graph, self.texts, "trace", self.language, "", arrangement))
            for graph, arrangement in zip(graphs, arranged, strict=True)
        ]

    def sentences(self) -> list[str]:
        """For each step the texts of slots that it changes, and its sentence.

        Numbers of keys are relative to the one before, as repeated text compresses well.
        """
        changed = relative_keys()
        return [
            SLOT_END.join(f"{changed(slot)} {text}" for slot, text in step.changes.items())
            + CHANGES_END
            + format_sentence(step.sentence)
            for step in self.steps
        ]

    def outline(self) -> dict:
        """The player's data besides sentences and pictures. `steps`: their lines, files, the boxes
        and edges they touch, whether gradients go back in them, and their pass, 0 for none;
        `members` lists the members of each group, `ends` the ends of each edge, `groups` and
        `boxes` their names."""
        touched, linked, inside = (relative_keys() for _ in range(3))
        steps = [
            [step.line or 0 for step in self.steps],
            [step.file or "" for step in self.steps],
            [" ".join(map(touched, step.touches)) for step in self.steps],
            [int(step.kind == "node") for step in self.steps],
            [step.backward or 0 for step in self.steps],
        ]
        boxes = self.graph.boxes
        return {
            "steps": steps,
            "members": [
                " ".join(map(inside, [key, *group.members]))
                for key, group in self.groups.by_key.items()
            ],
            "ends": [
                f"{linked(e.key)} {linked(e.source)} {linked(e.target)}" for e in self.graph.edges
            ],
            "groups": [[self.titles[key], self.notes[key]] for key in self.groups.by_key],
            "boxes": [
                [boxes[member].title, boxes[member].node]
                for group in self.groups.by_key.values()
                for member in group.members
                if member in boxes
            ],
            "start": [self.first_view, 0 if self.module else self.failing_step],
        }


def fold(
    part: Excerpt,
    language: str,
    run: Iterable[Parameter] = (),
    module: str = "",
    index: TraceIndex | None = None,
) -> FoldedFigure:
    """The figure of a part of a recording. `run`: the parameters of the whole run, if it explains
    why some have no gradient; `module`: the path of the one that is open at first; `index`: for the
    whole recording."""
    trace = part.trace
    own = index if index and index.trace is trace else None
    graph = _with_dtypes(trace, build_graph(trace, own, run))
    groups = group_boxes(trace, graph)
    steps = list_steps(trace, language, graph)
    norms = norms_of_groups(trace, graph, groups, steps, language)
    steps = tuple(
        replace(step, changes={**step.changes, **more})
        for step, more in zip(steps, norms, strict=True)
    )
    if len(groups.by_key) == 1:  # between folded boxes an edge stands for several
        steps = tuple(with_flows(steps, trace, graph))
    titles = group_titles(trace, groups, language)
    notes = group_notes(trace, groups, graph, language)
    texts = texts_of_slots(steps)
    return FoldedFigure(part, language, graph, groups, titles, notes, steps, texts, module)


def fold_parts(
    trace: Trace, parts: Iterable[Excerpt], language: str, module: str = ""
) -> list[FoldedFigure]:
    """The figures of the parts of a recording."""
    index = TraceIndex(trace)
    run = parameters(trace, index)
    return [fold(part, language, run, module, index) for part in parts]


def with_first_steps_as_one(figure: FoldedFigure, count: int) -> FoldedFigure:
    """The figure with this many first steps merged into one, which shows their result for
    parameters, inputs and folded groups; values of single operations would need as much room."""
    first = figure.steps[:count]
    single = {key for key, box in figure.graph.boxes.items() if box.kind in ("node", "module")}
    single |= {edge.key for edge in figure.graph.edges}
    one = replace(
        first[-1],
        kind="first",
        sentence=LANGUAGES[figure.language]["first_steps"].format(count=count),
        changes={
            slot: text
            for step in first
            for slot, text in step.changes.items()
            if not {slot, slot[:-1]} & single
        },
        touches=tuple(dict.fromkeys(key for step in first for key in step.touches)),
    )
    return replace(figure, steps=(one, *figure.steps[count:]))


def _with_dtypes(trace: Trace, graph: Graph) -> Graph:
    """The graph with the dtype of each tensor in its box, where it is not float32."""
    dtypes = {key: trace.tensors[t].get("dtype", "") for t, key in graph.box_by_tensor.items()}
    boxes = {
        key: replace(box, node=f"{box.node} {dtypes.get(key, '')}".strip())
        for key, box in graph.boxes.items()
    }
    return replace(graph, boxes=boxes)


MAX_PRINTED = 4_000
"""The maximum number of characters of a run's output; the last ones are shown."""


@dataclass(frozen=True)
class VariedRuns:
    """The runs with all combinations of the values of `numbers`, the last changing fastest."""

    numbers: Sequence[VariedNumber]
    runs: Sequence[VariedRun]

    @property
    def own(self) -> int:
        """The index of the unchanged script's run."""
        return own_run(self.numbers)


def nothing_drawn(said: str, line: int | None, language: str) -> FoldedFigure:
    """The figure of a run that cannot be drawn: one step, which says why."""
    part, whole = Excerpt(Trace("", "", ""), 0, 0), Group(ROOT, "whole", ())
    step = Step("error", 0, line, None, None, said, {}, ())
    groups, no_text = Groups({ROOT: whole}, {}, {}), {ROOT: ""}
    return FoldedFigure(part, language, NO_GRAPH, groups, no_text, no_text, (step,), {})


NO_GRAPH = Graph({}, (), {})


def around(figure: FoldedFigure) -> dict[str, str]:
    """The texts around a figure: the words of the player, the caption, the list's title."""
    phrases = LANGUAGES[figure.language]
    count, caption_of = len(figure.steps), (figure.part.trace, figure.graph, figure.texts)
    return {
        "words": phrases["buttons"].format(count=count),
        "caption": "" if figure.graph is NO_GRAPH else caption(*caption_of, phrases),
        "summary": phrases["all_steps"].format(count=count),
    }


def data_of_runs(figures: Sequence[FoldedFigure | None], drawn: dict[tuple, list[str]]) -> dict:
    """The player's data of one part of the recording of each run; None for a run without it.

    `sentences` and `views` are for all runs, `shared` holds the other data; each run has the places
    where its sentences and its pictures begin, and for each other name an index into the shared
    data. `drawn`: the pictures by the structure of their figures; missing ones are added.
    """
    sentences, views, runs = [], [], []
    first_view: dict[tuple, int] = {}
    shared: dict[str, int] = {}
    for figure in figures:
        if figure is None:
            runs.append(None)
            continue
        structure = figure.structure
        if structure not in drawn:
            drawn[structure] = figure.with_room_for(alike(figure, figures)).drawings()
        if structure not in first_view:
            first_view[structure] = len(views)
            views += drawn[structure]
        others = {
            name: shared.setdefault(json.dumps(value, ensure_ascii=False), len(shared))
            for name, value in {**figure.outline(), **around(figure)}.items()
        }
        runs.append([len(sentences), first_view[structure], others])
        sentences += figure.sentences()
    return {
        "sentences": as_templates(sentences),
        "views": as_templates(views),
        "shared": [json.loads(value) for value in shared],
        "runs": runs,
    }


def alike(figure: FoldedFigure, figures: Iterable[FoldedFigure | None]) -> list[FoldedFigure]:
    """The figures whose pictures differ from those of one only in values."""
    return [each for each in figures if each and each.structure == figure.structure]


def columns_of_runs(
    varied: VariedRuns,
    figures: Sequence[FoldedFigure],
    first: int,
    passes: tuple[int, int] | None,
    module: str,
) -> list[list[FoldedFigure | None]]:
    """For each part of the recordings the figures of all runs, None where a run has fewer parts;
    every run has a figure in the column shown `first`. `figures`: for the unchanged script;
    `passes`, `module`: as in a page."""
    language = figures[0].language
    rows = []
    for index, run in enumerate(varied.runs):
        row: list[FoldedFigure | None]
        if index == varied.own:
            row = list(figures)
        elif run.trace is None:
            row = [nothing_drawn(" ".join(run.said), run.line, language)]
        else:
            asked = passes if passes and passes[1] <= len(backward_passes(run.trace)) else None
            path = module if module in module_paths(run.trace) else ""
            row = fold_parts(run.trace, excerpts(run.trace, asked), language, path)
        row[-1:] = [*[None] * (first + 1 - len(row)), row[-1]]
        rows.append(row)
    return [list(column) for column in zip_longest(*rows)]


def said_of_runs(varied: VariedRuns, columns: Sequence[Sequence[FoldedFigure | None]]) -> dict:
    """The messages on each run: whether its graph is another one, its output, how it ended, and the
    titles of its parts."""
    rows = []
    for index, run in enumerate(varied.runs):
        pairs = [(column[index], column[varied.own]) for column in columns]
        drawn = [(a, b) for a, b in pairs if a and b and a.graph is not NO_GRAPH]
        another = any(a.shape != b.shape for a, b in drawn)
        said = " ".join(format_sentence(sentence) for sentence in run.said if run.trace)
        labels = [one.label if one else None for one, _ in pairs]
        rows.append(["another" if another else None, last_printed(run.printed), said, *labels])
    return table_of_texts(rows)


def last_printed(printed: str) -> str:
    """The output of a run; if it is long, the end of it."""
    printed = printed.rstrip("\n")
    return printed if len(printed) <= MAX_PRINTED else f"…{printed[-MAX_PRINTED:]}"
