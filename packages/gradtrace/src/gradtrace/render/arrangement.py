"""The room that boxes need for all that they ever show, and where they are put."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from unicodedata import east_asian_width

from gradtrace.graph.build import Box, Graph
from gradtrace.graph.state import PASS_SIGNS
from gradtrace.layout.layered import Layout, LayoutEdge, needed_width
from gradtrace.layout.packing import packed_layout
from gradtrace.narrate.languages import LANGUAGES

CHARACTER_WIDTH = 7.3
WIDE_CHARACTER_WIDTH = 12.2
"""Width of a Chinese character, and of the sign of a pass."""
LINE_HEIGHT = 17
PADDING = 9
MIN_WIDTH = 76
MAX_INLINE = 34
"""Characters of a name and its value that fit on one line."""


@dataclass(frozen=True)
class BoxShape:
    """What a box has room for: as many lines for its value and its gradient as it ever shows."""

    box: Box
    inline: bool
    """Whether the value is beside the title, on the same line."""
    value_lines: int
    grad_lines: int
    hook: float
    """The width of the longest line about a hook; 0 where there is none."""
    width: float

    @property
    def height(self) -> float:
        """The height of the box."""
        first = bool(self.box.title or (self.inline and self.value_lines))
        lines = first + self.value_lines * (not self.inline)
        return (
            LINE_HEIGHT * (lines + bool(self.box.node) + self.grad_lines + bool(self.hook))
            + PADDING
        )


@dataclass(frozen=True)
class Arrangement:
    """The boxes and edges of a graph with the room that they need, and their layout."""

    shapes: Mapping[str, BoxShape]
    edges: Sequence[LayoutEdge]
    layout: Layout


def arrange(graph: Graph, texts: Mapping[str, Sequence[str]], language: str) -> Arrangement:
    """The arrangement of one graph. `texts`: all that each slot ever shows."""
    return arrange_alike([graph], texts, language)[0]


def arrange_alike(
    graphs: Sequence[Graph], texts: Mapping[str, Sequence[str]], language: str
) -> list[Arrangement]:
    """The arrangement of each graph; those that are alike but for numbers, as the iterations of a
    loop are, get the same one, in which there is room for any of them."""
    kinds: dict[tuple, list[int]] = {}
    for index, graph in enumerate(graphs):
        kinds.setdefault(_kind(graph), []).append(index)
    found: dict[int, Arrangement] = {}
    for indices in kinds.values():
        arranged = _arrange_kind([graphs[index] for index in indices], texts, language)
        found.update(zip(indices, arranged, strict=True))
    return [found[index] for index in range(len(graphs))]


def text_width(text: str) -> float:
    """The width of a text, in pixels."""
    wide = 0 if text.isascii() else sum(map(_is_wide, text))
    return len(text) * CHARACTER_WIDTH + wide * (WIDE_CHARACTER_WIDTH - CHARACTER_WIDTH)


def title_of(box: Box, language: str) -> str:
    """The first line of a box; at a boundary of a module, at which side."""
    if box.side and box.title:
        return LANGUAGES[language][f"title_{box.side}"].format(name=box.title)
    return {"group": "▸ ", "failed": "✗ "}.get(box.kind, "") + box.title


def grad_sign(box: Box) -> str:
    """What stands before the gradient in a box."""
    return {"leaf": ".grad ", "constant": ".grad ", "group": ""}.get(box.kind, "∇ ")


def _kind(graph: Graph) -> tuple:
    """What is the same in graphs that are alike: all but keys and numbers."""
    place = {key: index for index, key in enumerate(graph.boxes)}
    boxes = [(b.kind, _likened(b.title), _likened(b.node), b.side) for b in graph.boxes.values()]
    return tuple(boxes), tuple((place[e.source], place[e.target], e.kind) for e in graph.edges)


def _likened(text: str) -> str:
    return re.sub(r"\d+", "0", text)


def _arrange_kind(
    graphs: Sequence[Graph], texts: Mapping[str, Sequence[str]], language: str
) -> list[Arrangement]:
    """The arrangements of graphs that are alike. Their layout is made once, with the places of
    boxes and edges in a graph for their keys."""
    columns = zip(*(graph.boxes.values() for graph in graphs), strict=True)
    shapes = [
        _with_room_for_all([_shape_of(box, texts, language) for box in column])
        for column in columns
    ]
    boxes = {key: str(place) for place, key in enumerate(graphs[0].boxes)}
    edges = []
    for place, column in enumerate(zip(*(graph.edges for graph in graphs), strict=True)):
        ends = boxes[column[0].source], boxes[column[0].target]
        widths = (
            max(
                (text_width(t) for edge in column for t in texts.get(edge.key + slot, ())),
                default=0,
            )
            for slot in ("", "d")
        )
        edges.append(LayoutEdge(str(place), *ends, *widths))
    needed = [needed_width(str(place), edges) for place in range(len(shapes))]
    shapes = [replace(s, width=max(s.width, n)) for s, n in zip(shapes, needed, strict=True)]
    layout = packed_layout({str(i): (s.width, s.height) for i, s in enumerate(shapes)}, edges)
    return [_named(graph, shapes, edges, layout) for graph in graphs]


def _named(
    graph: Graph, shapes: Sequence[BoxShape], edges: Sequence[LayoutEdge], layout: Layout
) -> Arrangement:
    """An arrangement with the keys of its graph, which has the places of boxes and edges."""
    keys = [edge.key for edge in graph.edges]
    return Arrangement(
        {
            key: replace(shape, box=box)
            for (key, box), shape in zip(graph.boxes.items(), shapes, strict=True)
        },
        [
            LayoutEdge(one.key, one.source, one.target, edge.label_width, edge.end_width)
            for one, edge in zip(graph.edges, edges, strict=True)
        ],
        Layout(
            layout.width,
            layout.height,
            {key: layout.centres[str(place)] for place, key in enumerate(graph.boxes)},
            {key: layout.routes[str(place)] for place, key in enumerate(keys)},
            {key: layout.labels[str(place)] for place, key in enumerate(keys)},
            {key: layout.end_labels[str(place)] for place, key in enumerate(keys)},
        ),
    )


def _with_room_for_all(shapes: Sequence[BoxShape]) -> BoxShape:
    return replace(
        shapes[0],
        inline=all(shape.inline for shape in shapes),
        value_lines=max(shape.value_lines for shape in shapes),
        grad_lines=max(shape.grad_lines for shape in shapes),
        hook=max(shape.hook for shape in shapes),
        width=max(shape.width for shape in shapes),
    )


def _shape_of(box: Box, texts: Mapping[str, Sequence[str]], language: str) -> BoxShape:
    """The room that a box needs so that it can show every state."""
    outside = box.kind == "stub"
    values, grads, hooks = (() if outside else texts.get(f"{box.key}{slot}", ()) for slot in "vgh")
    longest = max((text_width(line) for text in values for line in text.split("\n")), default=0)
    title = text_width(title_of(box, language))
    equals = text_width(" = ") if box.title and longest else 0
    one_line = not any("\n" in text for text in values)
    inline = one_line and title + equals + longest <= MAX_INLINE * CHARACTER_WIDTH
    sign = text_width(grad_sign(box)) if any(grads) else 0
    hook = max(map(text_width, hooks), default=0)
    widths = [
        title + equals + longest if inline else max(title, longest),
        text_width(box.node) * 0.92,
        sign + max((text_width(line) for text in grads for line in text.split("\n")), default=0),
        hook + (2 * CHARACTER_WIDTH if hook else 0),
    ]
    grad_lines = max((text.count("\n") + 1 for text in grads if text), default=0)
    return BoxShape(
        box=box,
        inline=inline,
        value_lines=max((text.count("\n") + 1 for text in values if text), default=0),
        grad_lines=grad_lines,
        hook=hook,
        width=max(MIN_WIDTH if box.node else 0, *widths) + 2 * PADDING,
    )


def _is_wide(character: str) -> bool:
    return east_asian_width(character) in "WF" or character in PASS_SIGNS
