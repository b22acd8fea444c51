"""Draws a graph with what its cards show, as one SVG."""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from unicodedata import east_asian_width

from gradtrace.graph.nodes import Card, Graph
from gradtrace.graph.state import SIGNS
from gradtrace.layout.layered import Layout, Line, needed_width
from gradtrace.layout.packing import pack
from gradtrace.narrate.phrases import WORDS

CHARACTER = 7.3
"""Width of a character of the picture's font; of a Chinese one, that of its size."""
WIDE = 12.2
ROW = 17
PAD = 9
NARROWEST = 76
ONE_LINE = 34
"""Characters of a name and its value that stand on one line."""
_HOOK = "m0-9v6a4 4 0 0 0 8 0v-3l-2.500 2.500"


@dataclass(frozen=True)
class Face:
    """What a card has room for: as many lines for its value and its gradient as they ever need."""

    card: Card
    inline: bool
    value_lines: int
    grad_lines: int
    hook: bool
    width: float

    @property
    def height(self) -> float:
        """The card's height."""
        first = bool(self.card.title or (self.inline and self.value_lines))
        rows = first + self.value_lines * (not self.inline)
        return ROW * (rows + bool(self.card.node) + self.grad_lines + self.hook) + PAD


def draw(
    graph: Graph,
    shown: Sequence[Mapping[str, str]],
    identity: str,
    language: str,
    description: str,
) -> str:
    """The SVG of a graph. `shown`: what slots show after each step; the last is what is drawn."""
    last = shown[-1] if shown else {}
    faces, lines, layout = arranged(graph, shown)
    title = WORDS[language]["svg_title"].format(cards=len(graph.cards))
    parts = [_open(layout, identity, title, description)]
    for edge in graph.edges:
        path = _path(layout.routes[edge.key])
        parts.append(f'<path class="line {edge.kind}" data-k="{edge.key}" d="{path}"/>')
    for edge in graph.edges:
        if edge.kind == "cut":
            parts.append(_stop(layout.routes[edge.key]))
    parts += [_card(face, layout.places[key], last) for key, face in faces.items()]
    for line in lines:
        if line.label:
            x, y = layout.labels[line.key]
            at = f'x="{x:.0f}" y="{y:.0f}" data-k="{line.key}"'
            parts.append(f'<text class="grad label" {at}>{_text(last[line.key])}</text>')
    return "".join([*parts, "</svg>"])


def arranged(
    graph: Graph, shown: Sequence[Mapping[str, str]]
) -> tuple[dict[str, Face], list[Line], Layout]:
    """Cards and lines with the room they need, and where they stand."""
    faces = {key: _face(card, shown) for key, card in graph.cards.items()}
    lines = []
    for edge in graph.edges:
        texts = [state.get(edge.key, "") for state in shown]
        label = max(map(_width, texts), default=0)
        lines.append(Line(edge.key, edge.above, edge.below, label))
    faces = {
        key: replace(face, width=max(face.width, needed_width(key, lines)))
        for key, face in faces.items()
    }
    sizes = {key: (face.width, face.height) for key, face in faces.items()}
    return faces, lines, pack(sizes, lines)


def _open(layout: Layout, identity: str, title: str, description: str) -> str:
    w, h = f"{layout.width:.0f}", f"{layout.height:.0f}"
    return (
        f'<svg viewBox="0 0 {w} {h}" width="{w}" height="{h}" role="img"'
        f' style="min-width:{layout.width * 0.77:.0f}px;--arrow:url(#{identity}-arrow)"'
        f' aria-labelledby="{identity}-title {identity}-desc">'
        f'<title id="{identity}-title">{_text(title)}</title>'
        f'<desc id="{identity}-desc">{_text(description)}</desc>'
        f'<marker id="{identity}-arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8"'
        ' markerHeight="8" markerUnits="userSpaceOnUse" orient="auto-start-reverse">'
        '<path class="arrow" d="m0 0 8 4-8 4z"/></marker>'
    )


def _face(card: Card, shown: Iterable[Mapping[str, str]]) -> Face:
    """The room a card needs so that it shows every state."""
    values, grads, hooks = (
        {state.get(f"{card.key}{slot}", "") for state in shown} for slot in "vgh"
    )
    longest = max((_width(line) for text in values for line in text.split("\n")), default=0)
    title = _width(card.title)
    equals = _width(" = ") if card.title and longest else 0
    one_line = not any("\n" in text for text in values)
    inline = one_line and title + equals + longest <= ONE_LINE * CHARACTER
    before = _width(_sign(card)) if card.node else 0
    widths = [
        title + equals + longest if inline else max(title, longest),
        _width(card.node) * 0.85,
        before + max((_width(line) for text in grads for line in text.split("\n")), default=0),
        max(map(_width, hooks), default=0) + (2 * CHARACTER if any(hooks) else 0),
    ]
    return Face(
        card=card,
        inline=inline,
        value_lines=max((text.count("\n") + 1 for text in values if text), default=0),
        grad_lines=max(text.count("\n") + 1 for text in grads) if card.node and any(grads) else 0,
        hook=any(hooks),
        width=max(NARROWEST if card.node else 0, *widths) + 2 * PAD,
    )


def _card(face: Face, place: tuple[float, float], last: Mapping[str, str]) -> str:
    card, key = face.card, face.card.key
    x, left, top = place[0], place[0] - face.width / 2, place[1] - face.height / 2
    parts = [f'<g class="card {card.kind}" data-k="{key}">', _shape(face, left, top)]
    y = top + ROW - 1
    name = f'<tspan class="name">{_text(card.title)}</tspan>' if card.title else ""
    if face.inline:
        equals = " = " if name and face.value_lines else ""
        value = f'<tspan data-k="{key}v">{_text(last.get(f"{key}v", ""))}</tspan>'
        parts.append(f'<text x="{x:.0f}" y="{y:.0f}">{name}{equals}{value}</text>')
        y += ROW * bool(name or face.value_lines)
    else:
        if name:
            parts.append(f'<text x="{x:.0f}" y="{y:.0f}">{name}</text>')
            y += ROW
        parts.append(_lines(f"{key}v", last, face.value_lines, x, y))
        y += ROW * face.value_lines
    if card.node:
        parts.append(f'<text class="function" x="{x:.0f}" y="{y:.0f}">{_text(card.node)}</text>')
        y += ROW
    if face.grad_lines:
        parts.append(_lines(f"{key}g", last, face.grad_lines, x, y, _sign(card), "grad"))
        y += ROW * face.grad_lines
    if face.hook:
        names = last.get(f"{key}h", "")
        hook = x - _width(names) / 2 - 6
        parts.append(f'<path class="hook" d="M{hook:.0f} {y:.0f}{_HOOK}"/>')
        parts.append(
            f'<text class="hook" x="{x + 6:.0f}" y="{y:.0f}" data-k="{key}h">{_text(names)}</text>'
        )
    return "".join([*parts, "</g>"])


def _sign(card: Card) -> str:
    return ".grad " if card.kind == "leaf" else "∇ "


def _lines(
    slot: str,
    last: Mapping[str, str],
    count: int,
    x: float,
    y: float,
    sign: str = "",
    kind: str = "",
) -> str:
    """A slot with room for several lines, one below the other."""
    texts = [*last.get(slot, "").split("\n"), *[""] * count][:count]
    style = f' class="{kind}"' if kind else ""
    told = []
    for index, text in enumerate(texts):
        before = _text(sign) if index == 0 else ""
        told.append(
            f'<text{style} x="{x:.0f}" y="{y + ROW * index:.0f}">{before}'
            f'<tspan data-k="{slot}">{_text(text)}</tspan></text>'
        )
    return "".join(told)


def _shape(face: Face, left: float, top: float) -> str:
    w, h, cut = face.width, face.height, 9
    if face.card.kind == "module":
        return (
            f'<path class="box" d="M{left + cut:.0f} {top:.0f}h{w - 2 * cut:.0f}l{cut} {cut}'
            f"v{h - 2 * cut:.0f}l-{cut} {cut}h-{w - 2 * cut:.0f}l-{cut}-{cut}"
            f'v-{h - 2 * cut:.0f}z"/>'
        )
    round_off = ' rx="9"' if face.card.kind == "node" else ""
    return (
        f'<rect class="box" x="{left:.0f}" y="{top:.0f}" width="{w:.0f}" height="{h:.0f}"'
        f"{round_off}/>"
    )


def _path(points: Sequence[tuple[float, float]]) -> str:
    """Straight from the first of two points to the second, in a bend on to the next two."""
    told = ""
    for index in range(0, len(points), 2):
        (x, y), (_, bottom) = points[index : index + 2]
        if index == 0:
            told = f"M{x:.0f} {y:.0f}"
        else:
            (from_x, from_y) = points[index - 1]
            middle = (from_y + y) / 2
            told += f"C{from_x:.0f} {middle:.0f} {x:.0f} {middle:.0f} {x:.0f} {y:.0f}"
        if bottom != y:
            told += f"V{bottom:.0f}"
    return told


def _stop(points: Sequence[tuple[float, float]]) -> str:
    """A cross on a line that no gradient goes back along."""
    (x, y), (next_x, next_y) = points[1], points[2]
    x, y = (x + next_x) / 2, (y + next_y) / 2
    return f'<path class="stop" d="M{x - 5:.0f} {y - 5:.0f}l10 10m0-10-10 10"/>'


def _width(text: str) -> float:
    return sum(WIDE if east_asian_width(c) in "WF" or c in SIGNS else CHARACTER for c in text)


def _text(text: str) -> str:
    return html.escape(text, quote=False)
