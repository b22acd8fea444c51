"""Draws a graph with the texts of its slots as one SVG. Lengths are in pixels."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence

from gradtrace.graph.build import Graph
from gradtrace.layout.layered import Layout
from gradtrace.narrate.languages import LANGUAGES
from gradtrace.render.arrangement import (
    LINE_HEIGHT,
    Arrangement,
    BoxShape,
    arrange,
    grad_sign,
    title_of,
)

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
) -> str:
    """The SVG of a graph. `texts`: all that each slot shows, in order; the last are drawn, but
    where the graph is `arranged` already: then none is."""
    last = {} if arranged else {slot: shown[-1] for slot, shown in texts.items()}
    arranged = arranged or arrange(graph, texts, language)
    layout = arranged.layout
    phrases = LANGUAGES[language]
    title = phrases["svg_title"].format(boxes=len(graph.boxes))
    folded = any(box.kind in CAN_OPEN for box in graph.boxes.values())
    role = "group" if folded else "img"
    parts = [_opening(layout, identity, role, title, description)]
    paths = {edge.key: _edge_path(layout.routes[edge.key]) for edge in graph.edges}
    for edge in graph.edges:
        if (slot := f"{edge.key}w") in texts:
            width, _, sign = (last.get(slot) or "0").partition(" ")
            place = f'stroke-width="{width}" data-k="{slot}"'
            parts.append(f'<path class="stream {sign}" {place} d="{paths[edge.key]}"/>')
    for edge in graph.edges:
        line = f'class="line {edge.kind}" data-k="{edge.key}"'
        parts.append(f'<path {line} d="{paths[edge.key]}"/>')
    for edge in graph.edges:
        if edge.kind == "cut":
            parts.append(_cross(layout.routes[edge.key]))
    for key, shape in arranged.shapes.items():
        parts.append(_box(shape, layout.centres[key], last, language))
    for edge in arranged.edges:
        if edge.label_width:
            x, y = layout.labels[edge.key]
            place = f'x="{x:.0f}" y="{y:.0f}" data-k="{edge.key}"'
            text = _escape(last.get(edge.key, ""))
            parts.append(f'<text class="grad label" {place}>{text}</text>')
        if edge.end_width:
            (x, y), end = layout.end_labels[edge.key], layout.routes[edge.key][-1][0]
            side = "label" if x > end else "label before"
            x = x if x > end else x + edge.end_width  # it ends at its edge, however short it is
            text = _escape(last.get(f"{edge.key}d", ""))
            place = f'x="{x:.0f}" y="{y:.0f}" data-k="{edge.key}d"'
            parts.append(f'<text class="factor {side}" {place}>{text}</text>')
    return "".join([*parts, "</svg>"])


def _opening(layout: Layout, identity: str, role: str, title: str, description: str) -> str:
    w, h = f"{layout.width:.0f}", f"{layout.height:.0f}"
    return (
        f'<svg viewBox="0 0 {w} {h}" width="{w}" height="{h}" role="{role}"'
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
    )


def _box(
    shape: BoxShape, centre: tuple[float, float], last: Mapping[str, str], language: str
) -> str:
    box, key = shape.box, shape.box.key
    place = f"translate({centre[0]:.0f} {centre[1] - shape.height / 2:.0f})"
    button = ' tabindex="0" role="button"' if box.kind in CAN_OPEN else ""
    start = f'<g class="card {box.kind}" data-k="{key}" transform="{place}"{button}>'
    parts = [start, _outline(shape)]
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
    if box.node:
        parts.append(f'<text class="function" y="{y}">{_escape(box.node)}</text>')
        y += LINE_HEIGHT
    if shape.grad_lines:
        sign = grad_sign(box)
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


def _outline(shape: BoxShape) -> str:
    w, h, cut = shape.width, shape.height, 9
    left = -w / 2
    if shape.box.kind == "module":
        return (
            f'<path class="box" d="M{left + cut:.0f} 0h{w - 2 * cut:.0f}l{cut} {cut}'
            f"v{h - 2 * cut:.0f}l-{cut} {cut}h-{w - 2 * cut:.0f}l-{cut}-{cut}"
            f'v-{h - 2 * cut:.0f}z"/>'
        )
    rounded = ' rx="9"' if shape.box.kind in ("node", "failed", "stub") else ""
    below = f'<path class="below" d="M{left + 4:.0f} {h:.0f}v4h{w:.0f}v-{h:.0f}h-4"/>'
    return (below if shape.box.kind == "group" else "") + (
        f'<rect class="box" x="{left:.0f}" width="{w:.0f}" height="{h:.0f}"{rounded}/>'
    )


def _edge_path(points: Sequence[tuple[float, float]]) -> str:
    """Straight from the first of two points to the second, in a bend on to the next two."""
    points = [(round(x), round(y)) for x, y in points]
    path, (x, y) = f"M{points[0][0]} {points[0][1]}", points[0]
    for index in range(0, len(points), 2):
        (to_x, top), (_, bottom) = points[index : index + 2]
        if index:
            across, down = to_x - x, top - y
            path += f"c0 {down / 2:g} {across} {down / 2:g} {across} {down}"
        if bottom != top:
            path += f"v{bottom - top}"
        x, y = to_x, bottom
    return path


def _cross(points: Sequence[tuple[float, float]]) -> str:
    """A cross on an edge that no gradient goes back along."""
    (x, y), (next_x, next_y) = points[1], points[2]
    x, y = (x + next_x) / 2, (y + next_y) / 2
    return f'<path class="stop" d="M{x - 5:.0f} {y - 5:.0f}l10 10m0-10-10 10"/>'


def _escape(text: str) -> str:
    return html.escape(text, quote=False)
