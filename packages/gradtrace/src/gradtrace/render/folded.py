"""One part of a recording as a page plays it: its steps, and a picture of each group of boxes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from gradtrace.graph.build import Graph, build_graph
from gradtrace.graph.excerpt import Excerpt
from gradtrace.graph.groups import Groups, group_boxes, outermost_with_layers
from gradtrace.graph.module_group import group_of_module
from gradtrace.graph.parameters import Parameter, parameters
from gradtrace.graph.views import Views
from gradtrace.narrate.groups import group_notes, group_titles, norms_of_groups
from gradtrace.narrate.languages import LANGUAGES
from gradtrace.narrate.steps import Step, list_steps, texts_of_slots
from gradtrace.render.arrangement import arrange_alike
from gradtrace.render.figure import format_sentence, with_streams
from gradtrace.render.svg import draw_svg
from gradtrace.render.templates import Templates, as_templates
from gradtrace.trace import Trace


class RelativeKeys:
    """Writes keys of boxes, edges and slots with the number counted from the one before."""

    def __init__(self) -> None:
        self._last: dict[str, int] = {}

    def __call__(self, key: str) -> str:
        return re.sub(r"([a-z]+)(\d+)", self._relative, key)

    def _relative(self, match: re.Match[str]) -> str:
        kind, number = match[1], int(match[2])
        step = number - self._last.get(kind, 0)
        self._last[kind] = number
        return f"{kind}{step}"


def relative(svg: str) -> str:
    """A picture whose keys are relative."""
    write = RelativeKeys()
    return re.sub(r'(?<=data-k=")[^"]+', lambda match: write(match[0]), svg)


SLOT_END, CHANGES_END = "\x1f", "\x1e"
"""Between the texts of slots that a step changes; between these and its sentence."""


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
    """The path of the module at which a reader wants to look."""

    @property
    def label(self) -> str:
        """What the part is called in a list of all."""
        phrases = LANGUAGES[self.language]
        if not self.part.first:
            return phrases["failed_forward" if self.part.fails else "no_pass"]
        key = "pass" if self.part.first == self.part.last else "passes_from"
        label = phrases[key].format(first=self.part.first, last=self.part.last)
        return phrases["failing"].format(label=label) if self.part.fails else label

    @property
    def failing_step(self) -> int:
        """The number of the step at which it failed, from 1; 0 where it didn't."""
        numbers = [n for n, step in enumerate(self.steps, 1) if step.kind == "error"]
        return numbers[-1] if numbers else 0

    @property
    def first_view(self) -> str:
        """The group that is open at first: that of the module which a reader wants to look at, the
        one in which it failed, or the outermost that shows more than two folded boxes."""
        if self.module:
            return group_of_module(self.part.trace, self.groups, self.module)
        for step in reversed(self.steps[: self.failing_step]):
            for key in reversed(step.touches):
                if key in self.graph.boxes:
                    return self.groups.parent[key]
        return outermost_with_layers(self.groups)

    @cached_property
    def _views(self) -> Views:
        return Views(self.graph, self.groups, self.titles, self.notes)

    def view(self, group: str) -> Graph:
        """The graph that is seen when a group is open."""
        return self._views.view(group)

    def picture(self, group: str, description: str) -> str:
        """The SVG of an open group, with the texts of the last step."""
        return draw_svg(self.view(group), self.texts, "trace", self.language, description)

    @property
    def structure(self) -> tuple:
        """What the pictures of another figure have in common with those of this one, where they
        show the same but for values."""
        groups = tuple((key, group.members) for key, group in self.groups.by_key.items())
        names = tuple(self.titles.items()), tuple(self.notes.items())
        return tuple(self.graph.boxes.values()), self.graph.edges, groups, *names

    @property
    def shape(self) -> tuple:
        """The kinds of the boxes, and the edges: by these a reader tells graphs apart."""
        boxes = ((box.key, box.kind, box.node) for box in self.graph.boxes.values())
        return tuple(boxes), tuple((e.source, e.target, e.kind) for e in self.graph.edges)

    def with_room_for(self, figures: Iterable[FoldedFigure]) -> FoldedFigure:
        """This figure with room in its pictures for all that others of its structure show."""
        texts: dict[str, list[str]] = {}
        for figure in figures:
            for slot, shown in figure.texts.items():
                texts.setdefault(slot, []).extend(shown)
        for slot, shown in texts.items():
            shown.extend(self.texts.get(slot, ("",)))
        return replace(self, texts=texts)

    def drawings(self) -> list[str]:
        """The pictures of all groups, in their order, with keys that are relative."""
        graphs = list(map(self.view, self.groups.by_key))
        arranged = arrange_alike(graphs, self.texts, self.language)
        return [
            relative(draw_svg(graph, self.texts, "trace", self.language, "", arrangement))
            for graph, arrangement in zip(graphs, arranged, strict=True)
        ]

    def pictures(self) -> Templates:
        """The pictures of all groups, to be filled by the player."""
        return as_templates(self.drawings())

    def told(self) -> list[str]:
        """For each step the texts of slots that it changes, and its sentence.

        Numbers of keys are counted from the one before, as what repeats compresses well."""
        changed = RelativeKeys()
        return [
            SLOT_END.join(f"{changed(slot)} {text}" for slot, text in step.changes.items())
            + CHANGES_END
            + format_sentence(step.sentence)
            for step in self.steps
        ]

    def outline(self) -> dict:
        """What the player reads beside sentences and pictures. `steps`: their lines, files, what
        they touch, whether gradients go back in them, and in which pass they are, 0 in none;
        `members` gives each group with what is in it, `ends` what an edge links, `groups` and
        `boxes` their names."""
        touched, linked, inside = (RelativeKeys() for _ in range(3))
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

    def data(self, pictures: Templates) -> dict:
        """What the player reads, with the `pictures` of all groups."""
        return {**self.outline(), "told": as_templates(self.told()), "views": pictures}


def fold(
    part: Excerpt, language: str, told: Iterable[Parameter] = (), module: str = ""
) -> FoldedFigure:
    """The figure of a part of a recording. `told`: the parameters of the whole run, where it is to
    say why some have no gradient; `module`: the path of the one that is open at first."""
    trace = part.trace
    graph = _with_dtypes(trace, build_graph(trace, told=told))
    groups = group_boxes(trace, graph)
    steps = list_steps(trace, language, graph)
    norms = norms_of_groups(trace, graph, groups, steps, language)
    steps = tuple(
        replace(step, changes={**step.changes, **more})
        for step, more in zip(steps, norms, strict=True)
    )
    if len(groups.by_key) == 1:  # between folded boxes an edge stands for several
        steps = tuple(with_streams(steps, trace, graph))
    return FoldedFigure(
        part=part,
        language=language,
        graph=graph,
        groups=groups,
        titles=group_titles(trace, groups, language),
        notes=group_notes(trace, groups, graph, language),
        steps=steps,
        texts=texts_of_slots(steps),
        module=module,
    )


def fold_parts(
    trace: Trace, parts: Iterable[Excerpt], language: str, module: str = ""
) -> list[FoldedFigure]:
    """The figures of the parts of a recording."""
    told = parameters(trace)
    return [fold(part, language, told, module) for part in parts]


def with_first_steps_as_one(figure: FoldedFigure, count: int) -> FoldedFigure:
    """The figure with so many steps at its beginning told as one, which shows what they left in
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
    dtypes = {}
    for tensor, key in graph.box_by_tensor.items():
        if dtype := trace.tensors[tensor].get("dtype"):
            dtypes[key] = dtype
    boxes = {
        key: replace(box, node=f"{box.node} {dtypes[key]}".strip()) if key in dtypes else box
        for key, box in graph.boxes.items()
    }
    return replace(graph, boxes=boxes)
