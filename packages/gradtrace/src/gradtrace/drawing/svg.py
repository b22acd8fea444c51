"""Draws a graph with the texts of its slots as one SVG. Lengths are in pixels."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from unicodedata import east_asian_width

from gradtrace.drawing.layout import Layout, LayoutEdge, needed_width, packed_layout
from gradtrace.graph.build import Box, Graph
from gradtrace.story.effects import PASS_SIGNS
from gradtrace.words import LANGUAGES, PLAIN

CHARACTER_WIDTH = 7.3
WIDE_CHARACTER_WIDTH = 12.2
"""Width of a Chinese character, and of the sign of a pass."""
LINE_HEIGHT = 17
PADDING = 9
MIN_WIDTH = 76
MAX_ACROSS = 940
"""The maximum width of a graph that goes from left to right."""
FIRST_ACROSS = 600
"""The maximum width of one that does so without a script, which would turn it where it fits."""
MAX_INLINE = 34
"""The maximum number of characters of a name and its value on one line."""


@dataclass(frozen=True)
class BoxShape:
    """The room in a box: as many lines for its value and its gradient as it ever shows."""

    has_title: bool
    has_node: bool
    inline: bool
    """Whether the value is next to the title, on the same line."""
    value_lines: int
    grad_lines: int
    hook: float
    """The width of the longest line about a hook; 0 where there is none."""
    width: float

    @property
    def height(self) -> float:
        """The height of the box."""
        lines = self.value_lines * (not self.inline) + self.has_node + self.grad_lines
        lines += bool(self.has_title or (self.inline and self.value_lines)) + bool(self.hook)
        return LINE_HEIGHT * lines + PADDING


@dataclass(frozen=True)
class Arrangement:
    """The room of the boxes and edges of a graph, and similar ones, and their layout. The keys are
    the places of the boxes and of the edges in the graph."""

    shapes: Sequence[BoxShape]
    edges: Sequence[LayoutEdge]
    layout: Layout

    @cached_property
    def across(self) -> Layout | None:
        """The layout from left to right, where it is the lower one and fits between the margins."""
        sizes = {str(place): (shape.width, shape.height) for place, shape in enumerate(self.shapes)}
        layout = packed_layout(sizes, self.edges, across=True)
        fits = layout.width <= MAX_ACROSS and layout.height < self.layout.height
        return layout if fits else None


def arrange(graph: Graph, texts: Mapping[str, Sequence[str]], language: str) -> Arrangement:
    """The arrangement of one graph. `texts`: all texts that each slot ever shows."""
    return arrange_alike([graph], texts, language)[0]


def arrange_alike(
    graphs: Sequence[Graph], texts: Mapping[str, Sequence[str]], language: str
) -> list[Arrangement]:
    """The arrangement of each graph; graphs that differ only in numbers, such as the iterations of
    a loop, share one, with room for any of them."""
    kinds: dict[tuple, list[int]] = {}
    for index, graph in enumerate(graphs):
        kinds.setdefault(_kind(graph), []).append(index)
    found: dict[int, Arrangement] = {}
    for indices in kinds.values():
        arranged = _arrange_kind([graphs[index] for index in indices], texts, language)
        found.update(dict.fromkeys(indices, arranged))
    return [found[index] for index in range(len(graphs))]


def text_width(text: str) -> float:
    """The width of a text, in pixels."""
    wide = (
        0 if text.isascii() else sum(east_asian_width(c) in "WF" or c in PASS_SIGNS for c in text)
    )
    return len(text) * CHARACTER_WIDTH + wide * (WIDE_CHARACTER_WIDTH - CHARACTER_WIDTH)


def title_of(box: Box, language: str) -> str:
    """The first line of a box; at a boundary of a module, its side."""
    if box.side and box.title:
        return LANGUAGES[language][f"title_{box.side}"].format(name=box.title)
    return {"group": "▸ ", "failed": "✗ "}.get(box.kind, "") + box.title


def grad_sign(box: Box, phrases: Mapping[str, str]) -> str:
    """The sign before the gradient in a box."""
    signs = {"leaf": ".grad ", "constant": ".grad ", "group": ""}
    return signs.get(box.kind, phrases["received"])


def _node(box: Box, language: str) -> str:
    """The line with the name of the node; a plain figure has none."""
    return "" if language.endswith(PLAIN) else box.node


def _kind(graph: Graph) -> tuple:
    """What similar graphs have in common: everything but keys and numbers."""
    place = {key: index for index, key in enumerate(graph.boxes)}
    boxes = [
        (b.kind, re.sub(r"\d+", "0", f"{b.title}|{b.node}"), b.side) for b in graph.boxes.values()
    ]
    return tuple(boxes), tuple((place[e.source], place[e.target], e.kind) for e in graph.edges)


def _arrange_kind(
    graphs: Sequence[Graph], texts: Mapping[str, Sequence[str]], language: str
) -> Arrangement:
    """The arrangement of similar graphs, with room for the texts of each."""
    columns = zip(*(graph.boxes.values() for graph in graphs), strict=True)
    shapes = [
        BoxShape(
            *(shapes[0].has_title, shapes[0].has_node, all(shape.inline for shape in shapes)),
            *(max(getattr(shape, room) for shape in shapes) for room in _ROOM),
        )
        for shapes in ([_shape_of(box, texts, language) for box in column] for column in columns)
    ]
    places = {key: str(place) for place, key in enumerate(graphs[0].boxes)}
    edges = []
    for place, column in enumerate(zip(*(graph.edges for graph in graphs), strict=True)):
        widths = (
            max((text_width(t) for e in column for t in texts.get(e.key + slot, ())), default=0)
            for slot in ("", "d")
        )
        ends = places[column[0].source], places[column[0].target]
        edges.append(LayoutEdge(str(place), *ends, *widths))
    needed = [needed_width(str(place), edges) for place in range(len(shapes))]
    shapes = [replace(s, width=max(s.width, n)) for s, n in zip(shapes, needed, strict=True)]
    sizes = {str(place): (shape.width, shape.height) for place, shape in enumerate(shapes)}
    return Arrangement(shapes, edges, packed_layout(sizes, edges))


_ROOM = ("value_lines", "grad_lines", "hook", "width")


def _shape_of(box: Box, texts: Mapping[str, Sequence[str]], language: str) -> BoxShape:
    """The room that a box needs for every state."""
    outside = box.kind == "stub"
    values, grads, hooks = (() if outside else texts.get(f"{box.key}{slot}", ()) for slot in "vgh")
    longest = max((text_width(line) for text in values for line in text.split("\n")), default=0)
    title = text_width(title_of(box, language))
    equals = text_width(" = ") if box.title and longest else 0
    one_line = not any("\n" in text for text in values)
    inline = one_line and title + equals + longest <= MAX_INLINE * CHARACTER_WIDTH
    sign = text_width(grad_sign(box, LANGUAGES[language])) if any(grads) else 0
    hook = max(map(text_width, hooks), default=0)
    widths = [
        title + equals + longest if inline else max(title, longest),
        text_width(_node(box, language)) * 0.92,
        sign + max((text_width(line) for text in grads for line in text.split("\n")), default=0),
        hook + (2 * CHARACTER_WIDTH if hook else 0),
    ]
    lines = (max((t.count("\n") + 1 for t in shown if t), default=0) for shown in (values, grads))
    width = max(MIN_WIDTH if box.node else 0, *widths) + 2 * PADDING
    return BoxShape(bool(box.title), bool(_node(box, language)), inline, *lines, hook, width)


CAN_OPEN = ("group", "stub")
"""Kinds of boxes that lead to another picture."""

_HOOK = "m0-9v6a4 4 0 0 0 8 0v-3l-2.500 2.500"


def draw_svg(
    graph: Graph,
    texts: Mapping[str, Sequence[str]],
    identity: str,
    language: str,
    description: str,
    arranged: Arrangement | None = None,
    turns: bool = False,
) -> str:
    """The SVG of a graph. `texts`: all texts that each slot shows, in order; the last are drawn,
    unless the graph is `arranged` already: then none is. `turns`: whether each part also says, in
    `data-turn`, where it is when the graph goes the other way, across or down."""
    last = {} if arranged else {slot: shown[-1] for slot, shown in texts.items()}
    arranged = arranged or arrange(graph, texts, language)
    down, across = arranged.layout, arranged.across if turns else None
    layouts = [down, across] if across else [down]
    if across and across.width <= FIRST_ACROSS:
        layouts.reverse()
    ways = [_places(graph, arranged, layout, layout is across) for layout in layouts]

    def place(key: str) -> str:
        """The attribute with which a part is placed, and what it is in the other layout."""
        name = "d" if ways[0][key][0] == "M" else "transform"
        turned = "".join(f' data-turn="{way[key]}"' for way in ways[1:])
        return f'{name}="{ways[0][key]}"{turned}'

    phrases = LANGUAGES[language]
    title = phrases["svg_title"].format(boxes=len(graph.boxes))
    folded = any(box.kind in CAN_OPEN for box in graph.boxes.values())
    role = "group" if folded else "img"
    (w, h), *turned = ((f"{layout.width:.0f}", f"{layout.height:.0f}") for layout in layouts)
    way = ' class="across"' if layouts[0] is across else ""
    way += "".join(f' data-turn="{width} {height}"' for width, height in turned)
    parts = [
        f'<svg{way} viewBox="0 0 {w} {h}" width="{w}" height="{h}" role="{role}"'
        f' style="min-width:{w}px;--arrow:url(#{identity}-arrow);--back:url(#{identity}-back)"'
        f' aria-labelledby="{identity}-title {identity}-desc">'
        f'<title id="{identity}-title">{_escape(title)}</title>'
        f'<desc id="{identity}-desc">{_escape(description)}</desc>'
        f'<marker id="{identity}-arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8"'
        ' markerHeight="8" markerUnits="userSpaceOnUse" orient="auto-start-reverse">'
        '<path class="arrow" d="m0 0 8 4-8 4z"/></marker>'
        f'<marker id="{identity}-back" viewBox="0 0 8 12" refX="8" refY="6" markerWidth="8"'
        ' markerHeight="12" markerUnits="userSpaceOnUse" orient="auto-start-reverse">'
        '<path fill="context-stroke" d="m0 0 8 6-8 6z"/></marker>'
    ]
    for edge in graph.edges:
        if (slot := f"{edge.key}w") in texts:
            width, _, sign = (last.get(slot) or "0").partition(" ")
            stream = f'stroke-width="{width}" data-k="{slot}"'
            parts.append(f'<path class="stream {sign}" {stream} {place(edge.key)}/>')
    for edge in graph.edges:
        line = f'class="line {edge.kind}" data-k="{edge.key}"'
        parts.append(f"<path {line} {place(edge.key)}/>")
    for edge in graph.edges:
        if edge.kind == "cut":
            parts.append(f'<path class="stop" {place(f"{edge.key} stop")}/>')
    for box, shape in zip(graph.boxes.values(), arranged.shapes, strict=True):
        at = place(f"{box.key} box")  # a stub for one use has the key of its edge
        parts.append(_box(box, shape, at, last, language))
    for edge, room in zip(graph.edges, arranged.edges, strict=True):
        if room.label_width:
            text = _escape(last.get(edge.key, ""))
            where = f'data-k="{edge.key}" {place(f"{edge.key} label")}'
            parts.append(f'<text class="grad label" {where}>{text}</text>')
        if room.end_width:
            side = "label" if _is_after(down, room) else "label before"
            text = _escape(last.get(f"{edge.key}d", ""))
            where = f'data-k="{edge.key}d" data-of="{edge.target}" {place(f"{edge.key}d")}'
            parts.append(f'<text class="factor {side}" {where}>{text}</text>')
    return "".join([*parts, "</svg>"])


def _is_after(layout: Layout, edge: LayoutEdge) -> bool:
    """Whether the label at the end of an edge is on the right of it."""
    return layout.end_labels[edge.key][0] > layout.routes[edge.key][-1][0]


def _places(graph: Graph, arranged: Arrangement, layout: Layout, across: bool) -> dict[str, str]:
    """Where the parts of a picture are in a layout: the paths, and how far others are moved."""
    found = {}
    for place, (box, shape) in enumerate(zip(graph.boxes.values(), arranged.shapes, strict=True)):
        x, y = layout.centres[str(place)]
        found[f"{box.key} box"] = f"translate({x:.0f} {y - shape.height / 2:.0f})"
    for edge, room in zip(graph.edges, arranged.edges, strict=True):
        points = layout.routes[room.key]
        found[edge.key] = _edge_path(points, across)
        (_, (x, y), (next_x, next_y), *_) = points
        x, y = (x + next_x) / 2 - 5, (y + next_y) / 2 - 5
        found[f"{edge.key} stop"] = f"M{x:.0f} {y:.0f}l10 10m0-10-10 10"
        x, y = layout.labels[room.key]
        found[f"{edge.key} label"] = f"translate({x:.0f} {y:.0f})"
        x, y = layout.end_labels[room.key]
        # One before its edge ends there, however short it is.
        x += 0 if _is_after(layout, room) else room.end_width
        found[f"{edge.key}d"] = f"translate({x:.0f} {y:.0f})"
    return found


def _box(box: Box, shape: BoxShape, place: str, last: Mapping[str, str], language: str) -> str:
    key = box.key
    button = ' tabindex="0" role="button"' if box.kind in CAN_OPEN else ""
    start = f'<g class="card {box.kind}" data-k="{key}" {place}{button}>'
    parts = [start, _outline(box, shape)]
    y = LINE_HEIGHT - 1
    title = _escape(title_of(box, language))
    title = f'<tspan class="name">{title}</tspan>' if box.title else ""
    if shape.inline:
        equals = " = " if title and shape.value_lines else ""
        value = f'<tspan data-k="{key}v">{_escape(last.get(f"{key}v", ""))}</tspan>'
        value = value if shape.value_lines else ""
        parts.append(f'<text y="{y}">{title}{equals}{value}</text>')
        y += LINE_HEIGHT * bool(title or shape.value_lines)
    else:
        if title:
            parts.append(f'<text y="{y}">{title}</text>')
            y += LINE_HEIGHT
        parts.append(_slot_lines(f"{key}v", last, shape.value_lines, y))
        y += LINE_HEIGHT * shape.value_lines
    if node := _node(box, language):
        parts.append(f'<text class="function" y="{y}">{_escape(node)}</text>')
        y += LINE_HEIGHT
    if shape.grad_lines:
        sign = grad_sign(box, LANGUAGES[language])
        parts.append(_slot_lines(f"{key}g", last, shape.grad_lines, y, sign, "grad"))
        y += LINE_HEIGHT * shape.grad_lines
    if shape.hook:
        names = last.get(f"{key}h", "")
        hook = -shape.hook / 2 - 6
        place = f'x="6" y="{y}" data-k="{key}h"'
        parts.append(f'<path class="hook" d="M{hook:.0f} {y}{_HOOK}"/>')
        parts.append(f'<text class="hook" {place}>{_escape(names)}</text>')
    return "".join([*parts, "</g>"])


def _slot_lines(
    slot: str,
    last: Mapping[str, str],
    count: int,
    y: int,
    sign: str = "",
    css_class: str = "",
) -> str:
    """A slot with room for `count` lines, one below the other; `sign` is put before the first."""
    texts = [*last.get(slot, "").split("\n"), *[""] * count][:count]
    attribute = f' class="{css_class}"' if css_class else ""
    lines = []
    for index, text in enumerate(texts):
        before = _escape(sign) if index == 0 else ""
        lines.append(
            f'<text{attribute} y="{y + LINE_HEIGHT * index}">{before}'
            f'<tspan data-k="{slot}">{_escape(text)}</tspan></text>'
        )
    return "".join(lines)


def _outline(box: Box, shape: BoxShape) -> str:
    w, h, cut = shape.width, shape.height, 9
    left = -w / 2
    if box.kind == "module":
        return (
            f'<path class="box" d="M{left + cut:.0f} 0h{w - 2 * cut:.0f}l{cut} {cut}'
            f"v{h - 2 * cut:.0f}l-{cut} {cut}h-{w - 2 * cut:.0f}l-{cut}-{cut}"
            f'v-{h - 2 * cut:.0f}z"/>'
        )
    rounded = ' rx="9"' if box.kind in ("node", "failed", "stub") else ""
    below = f'<path class="below" d="M{left + 4:.0f} {h:.0f}v4h{w:.0f}v-{h:.0f}h-4"/>'
    return (below if box.kind == "group" else "") + (
        f'<rect class="box" x="{left:.0f}" width="{w:.0f}" height="{h:.0f}"{rounded}/>'
    )


def _edge_path(points: Sequence[tuple[float, float]], across: bool) -> str:
    """Straight from the first of two points to the second, in a bend on to the next two; down, or
    across."""
    points = [(round(x), round(y)) for x, y in points]
    path, (x, y) = f"M{points[0][0]} {points[0][1]}", points[0]
    for index in range(0, len(points), 2):
        (to_x, to_y), end = points[index : index + 2]
        dx, dy = to_x - x, to_y - y
        if index:
            first = f"{dx / 2:g} 0 {dx / 2:g} {dy}" if across else f"0 {dy / 2:g} {dx} {dy / 2:g}"
            path += f"c{first} {dx} {dy}"
        if end != (to_x, to_y):
            path += f"h{end[0] - to_x}" if across else f"v{end[1] - to_y}"
        x, y = end
    return path


def _escape(text: str) -> str:
    return html.escape(text, quote=False)
