"""Draws a graph with the texts of its slots as one SVG. Lengths are in pixels."""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping, Sequence
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
_HOOK = "m0-9v6a4 4 0 0 0 8 0v-3l-2.500 2.500"


@dataclass(frozen=True)
class BoxShape:
    """What a box has room for: as many lines for its value and its gradient as it ever shows."""

    box: Box
    inline: bool
    """Whether the value is beside the title, on the same line."""
    value_lines: int
    grad_lines: int
    hook: bool
    width: float

    @property
    def height(self) -> float:
        """The height of the box."""
        first = bool(self.box.title or (self.inline and self.value_lines))
        lines = first + self.value_lines * (not self.inline)
        return LINE_HEIGHT * (lines + bool(self.box.node) + self.grad_lines + self.hook) + PADDING


def draw_svg(
    graph: Graph,
    shown: Sequence[Mapping[str, str]],
    identity: str,
    language: str,
    description: str,
) -> str:
    """The SVG of a graph. `shown`: the texts of slots after each step; the last are drawn."""
    last = shown[-1] if shown else {}
    shapes, layout_edges, layout = arrange(graph, shown)
    title = LANGUAGES[language]["svg_title"].format(boxes=len(graph.boxes))
    parts = [_opening(layout, identity, title, description)]
    for edge in graph.edges:
        path = _edge_path(layout.routes[edge.key])
        parts.append(f'<path class="line {edge.kind}" data-k="{edge.key}" d="{path}"/>')
    for edge in graph.edges:
        if edge.kind == "cut":
            parts.append(_cross(layout.routes[edge.key]))
    parts += [_box(shape, layout.centres[key], last) for key, shape in shapes.items()]
    for edge in layout_edges:
        if edge.label_width:
            x, y = layout.labels[edge.key]
            place = f'x="{x:.0f}" y="{y:.0f}" data-k="{edge.key}"'
            parts.append(f'<text class="grad label" {place}>{_escape(last[edge.key])}</text>')
    return "".join([*parts, "</svg>"])


def arrange(
    graph: Graph, shown: Sequence[Mapping[str, str]]
) -> tuple[dict[str, BoxShape], list[LayoutEdge], Layout]:
    """Boxes and edges with the room that they need in every state, and their layout."""
    shapes = {key: _shape_of(box, shown) for key, box in graph.boxes.items()}
    edges = []
    for edge in graph.edges:
        texts = [state.get(edge.key, "") for state in shown]
        label_width = max(map(_text_width, texts), default=0)
        edges.append(LayoutEdge(edge.key, edge.source, edge.target, label_width))
    shapes = {
        key: replace(shape, width=max(shape.width, needed_width(key, edges)))
        for key, shape in shapes.items()
    }
    sizes = {key: (shape.width, shape.height) for key, shape in shapes.items()}
    return shapes, edges, packed_layout(sizes, edges)


def _opening(layout: Layout, identity: str, title: str, description: str) -> str:
    w, h = f"{layout.width:.0f}", f"{layout.height:.0f}"
    return (
        f'<svg viewBox="0 0 {w} {h}" width="{w}" height="{h}" role="img"'
        f' style="min-width:{layout.width * 0.77:.0f}px;--arrow:url(#{identity}-arrow)"'
        f' aria-labelledby="{identity}-title {identity}-desc">'
        f'<title id="{identity}-title">{_escape(title)}</title>'
        f'<desc id="{identity}-desc">{_escape(description)}</desc>'
        f'<marker id="{identity}-arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8"'
        ' markerHeight="8" markerUnits="userSpaceOnUse" orient="auto-start-reverse">'
        '<path class="arrow" d="m0 0 8 4-8 4z"/></marker>'
    )


def _shape_of(box: Box, shown: Iterable[Mapping[str, str]]) -> BoxShape:
    """The room that a box needs so that it can show every state."""
    values, grads, hooks = (
        {state.get(f"{box.key}{slot}", "") for state in shown} for slot in "vgh"
    )
    longest = max((_text_width(line) for text in values for line in text.split("\n")), default=0)
    title = _text_width(box.title)
    equals = _text_width(" = ") if box.title and longest else 0
    one_line = not any("\n" in text for text in values)
    inline = one_line and title + equals + longest <= MAX_INLINE * CHARACTER_WIDTH
    sign = _text_width(_grad_sign(box)) if box.node else 0
    widths = [
        title + equals + longest if inline else max(title, longest),
        _text_width(box.node) * 0.85,
        sign + max((_text_width(line) for text in grads for line in text.split("\n")), default=0),
        max(map(_text_width, hooks), default=0) + (2 * CHARACTER_WIDTH if any(hooks) else 0),
    ]
    grad_lines = max(text.count("\n") + 1 for text in grads) if box.node and any(grads) else 0
    return BoxShape(
        box=box,
        inline=inline,
        value_lines=max((text.count("\n") + 1 for text in values if text), default=0),
        grad_lines=grad_lines,
        hook=any(hooks),
        width=max(MIN_WIDTH if box.node else 0, *widths) + 2 * PADDING,
    )


def _box(shape: BoxShape, centre: tuple[float, float], last: Mapping[str, str]) -> str:
    box, key = shape.box, shape.box.key
    x, left, top = centre[0], centre[0] - shape.width / 2, centre[1] - shape.height / 2
    parts = [f'<g class="card {box.kind}" data-k="{key}">', _outline(shape, left, top)]
    y = top + LINE_HEIGHT - 1
    title = f'<tspan class="name">{_escape(box.title)}</tspan>' if box.title else ""
    if shape.inline:
        equals = " = " if title and shape.value_lines else ""
        value = f'<tspan data-k="{key}v">{_escape(last.get(f"{key}v", ""))}</tspan>'
        parts.append(f'<text x="{x:.0f}" y="{y:.0f}">{title}{equals}{value}</text>')
        y += LINE_HEIGHT * bool(title or shape.value_lines)
    else:
        if title:
            parts.append(f'<text x="{x:.0f}" y="{y:.0f}">{title}</text>')
            y += LINE_HEIGHT
        parts.append(_slot_lines(f"{key}v", last, shape.value_lines, x, y))
        y += LINE_HEIGHT * shape.value_lines
    if box.node:
        parts.append(f'<text class="function" x="{x:.0f}" y="{y:.0f}">{_escape(box.node)}</text>')
        y += LINE_HEIGHT
    if shape.grad_lines:
        sign = _grad_sign(box)
        parts.append(_slot_lines(f"{key}g", last, shape.grad_lines, x, y, sign, "grad"))
        y += LINE_HEIGHT * shape.grad_lines
    if shape.hook:
        names = last.get(f"{key}h", "")
        hook = x - _text_width(names) / 2 - 6
        place = f'x="{x + 6:.0f}" y="{y:.0f}" data-k="{key}h"'
        parts.append(f'<path class="hook" d="M{hook:.0f} {y:.0f}{_HOOK}"/>')
        parts.append(f'<text class="hook" {place}>{_escape(names)}</text>')
    return "".join([*parts, "</g>"])


def _grad_sign(box: Box) -> str:
    return ".grad " if box.kind == "leaf" else "∇ "


def _slot_lines(
    slot: str,
    last: Mapping[str, str],
    count: int,
    x: float,
    y: float,
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
            f'<text{attribute} x="{x:.0f}" y="{y + LINE_HEIGHT * index:.0f}">{before}'
            f'<tspan data-k="{slot}">{_escape(text)}</tspan></text>'
        )
    return "".join(lines)


def _outline(shape: BoxShape, left: float, top: float) -> str:
    w, h, cut = shape.width, shape.height, 9
    if shape.box.kind == "module":
        return (
            f'<path class="box" d="M{left + cut:.0f} {top:.0f}h{w - 2 * cut:.0f}l{cut} {cut}'
            f"v{h - 2 * cut:.0f}l-{cut} {cut}h-{w - 2 * cut:.0f}l-{cut}-{cut}"
            f'v-{h - 2 * cut:.0f}z"/>'
        )
    rounded = ' rx="9"' if shape.box.kind == "node" else ""
    return (
        f'<rect class="box" x="{left:.0f}" y="{top:.0f}" width="{w:.0f}" height="{h:.0f}"'
        f"{rounded}/>"
    )


def _edge_path(points: Sequence[tuple[float, float]]) -> str:
    """Straight from the first of two points to the second, in a bend on to the next two."""
    path = ""
    for index in range(0, len(points), 2):
        (x, y), (_, bottom) = points[index : index + 2]
        if index == 0:
            path = f"M{x:.0f} {y:.0f}"
        else:
            (from_x, from_y) = points[index - 1]
            middle = (from_y + y) / 2
            path += f"C{from_x:.0f} {middle:.0f} {x:.0f} {middle:.0f} {x:.0f} {y:.0f}"
        if bottom != y:
            path += f"V{bottom:.0f}"
    return path


def _cross(points: Sequence[tuple[float, float]]) -> str:
    """A cross on an edge that no gradient goes back along."""
    (x, y), (next_x, next_y) = points[1], points[2]
    x, y = (x + next_x) / 2, (y + next_y) / 2
    return f'<path class="stop" d="M{x - 5:.0f} {y - 5:.0f}l10 10m0-10-10 10"/>'


def _text_width(text: str) -> float:
    return sum(WIDE_CHARACTER_WIDTH if _is_wide(c) else CHARACTER_WIDTH for c in text)


def _is_wide(character: str) -> bool:
    return east_asian_width(character) in "WF" or character in PASS_SIGNS


def _escape(text: str) -> str:
    return html.escape(text, quote=False)
