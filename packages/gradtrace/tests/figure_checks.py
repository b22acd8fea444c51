"""Looks at figures for tests: numbers that no run printed, and boxes or edges that clash."""

from __future__ import annotations

import base64
import json
import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html.parser import HTMLParser

from gradtrace.drawing.layout import Layout, LayoutEdge, Point, turn
from gradtrace.drawing.player_data import CHANGES_END, PLACE, SLOT_END, Templates
from gradtrace.drawing.svg import Arrangement, BoxShape, arrange
from gradtrace.graph.build import Graph, build_graph
from gradtrace.story.steps import list_steps, texts_of_slots
from gradtrace.trace import Trace

_NUMBER = re.compile(r"(?<![\w.])[−-]?\d+(?:\.\d+)?(?:e[+−-]?\d+)?(?![\w]|\.\d)")


def numbers_in(text: str) -> set[float]:
    """The numbers in a text, without their signs; digits within a name are none."""
    return {abs(float(found.replace("−", "-"))) for found in _NUMBER.findall(text)}


class FigureParser(HTMLParser):
    """The texts of an HTML fragment with the tags around them, and its elements with attributes.

    Fails where an element is not closed.
    """

    def __init__(self, html: str) -> None:
        super().__init__()
        self.texts: list[tuple[str, str]] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self._open: list[str] = []
        self.feed(html)
        assert not self._open, self._open

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if not self.get_starttag_text().endswith("/>"):
            self._open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self._open.pop() == tag

    def handle_data(self, data):
        self.texts.append((self._open[-1] if self._open else "", data))


def invented_numbers(trace: Trace, html: str) -> set[float]:
    """Numbers in a figure that its trace doesn't hold."""
    held = [trace.source, trace.stdout, trace.tensors, trace.nodes, trace.events, trace.torch]
    known = numbers_in(json.dumps(held, ensure_ascii=False))
    parser = FigureParser(html)
    shown = {n for tag, text in parser.texts if tag != "summary" for n in numbers_in(text)}
    shown |= {n for _, a in parser.elements for n in numbers_in(a.get("data-s") or "")}
    boxes = sum("card" in (a.get("class") or "").split() for _, a in parser.elements)
    steps = sum(tag == "li" for tag, _ in parser.elements)
    counted = {n for tag, text in parser.texts if tag == "summary" for n in numbers_in(text)}
    assert counted == {steps}
    return shown - known - {boxes}


def packed_parts(page: str) -> list[dict]:
    """What the player of a stand-alone page reads, for each part of the recording; with what is
    shared of the first run by its name, the `sentences` of all steps as HTML, and the texts that
    `change` with each."""
    packed = re.findall('<script type="text/plain" class="part"[^>]*>([^<]*)</script>', page)
    parts = [json.loads(zlib.decompress(base64.b64decode(text))) for text in packed]
    found = []
    for part in parts:
        told = [text.partition(CHANGES_END) for text in texts_of(part["sentences"])]
        changes = [[one.partition(" ")[2] for one in texts.split(SLOT_END)] for texts, _, _ in told]
        sentences = [sentence for _, _, sentence in told]
        views = texts_of(part["views"])
        _, _, others = next(filter(None, part["runs"]))
        part |= {name: part["shared"][number] for name, number in others.items()}
        found.append({**part, "sentences": sentences, "changes": changes, "views": views})
    return found


def packed_runs(page: str) -> list[list[str | None]]:
    """What a page with several runs says of each: what tells that its graph is another one, what
    it printed, how it ended, and the names of its parts."""
    (packed,) = re.findall('<script type="text/plain" class="runs"[^>]*>([^<]*)</script>', page)
    data = json.loads(zlib.decompress(base64.b64decode(packed)))
    return [[data["texts"][n] if n >= 0 else None for n in row] for row in data["runs"]]


def texts_of(packed: Templates) -> list[str]:
    """The texts that templates stand for."""
    templates, which, columns = packed
    numbers = [
        zip(*(column.split(" ") for column in own), strict=True) if own else None for own in columns
    ]
    texts = []
    for kind in which:
        own = iter(next(numbers[kind])) if numbers[kind] else iter(())
        texts.append(re.sub(PLACE, lambda _, own=own: next(own), templates[kind]))
    return texts


@dataclass(frozen=True)
class Rectangle:
    """A rectangle of the picture."""

    left: float
    top: float
    right: float
    bottom: float

    @property
    def turned(self) -> Rectangle:
        """The rectangle with both directions exchanged."""
        return Rectangle(self.top, self.left, self.bottom, self.right)

    def overlaps(self, other: Rectangle) -> bool:
        """Whether the two have a point in common."""
        across = self.left < other.right and other.left < self.right
        return across and self.top < other.bottom and other.top < self.bottom


def layout_faults(trace: Trace, language: str = "zh") -> list[str]:
    """Boxes that overlap, edges that pass through boxes, labels that touch anything."""
    graph = build_graph(trace)
    return clashes(graph, texts_of_slots(list_steps(trace, language, graph)), language)


def clashes(graph: Graph, texts: Mapping[str, Sequence[str]], language: str = "zh") -> list[str]:
    """The faults in the layouts of one graph, down and across, whose slots show these texts."""
    arranged = arrange(graph, texts, language)
    down, across = arranged.layout, arranged.across
    boxes, labels = _parts(arranged, down)
    faults = {*_rectangle_faults(boxes, labels, down)}
    faults |= {*_edge_faults(arranged.edges, boxes, labels, down)}
    if across:
        boxes, labels = _parts(arranged, across)
        found = [*_rectangle_faults(boxes, labels, across)]
        turned = ({key: one.turned for key, one in each.items()} for each in (boxes, labels))
        found += _edge_faults(arranged.edges, *turned, turn(across))
        faults |= {f"across: {fault}" for fault in found}
    return sorted(faults)


def _parts(
    arranged: Arrangement, layout: Layout
) -> tuple[dict[str, Rectangle], dict[str, Rectangle]]:
    """The boxes and the labels of a layout."""
    edges, shapes = arranged.edges, enumerate(arranged.shapes)
    boxes = {str(place): _rectangle(shape, layout.centres[str(place)]) for place, shape in shapes}
    labels = {
        edge.key: Rectangle(x, y - 10, x + edge.label_width, y + 2)
        for edge in edges
        if edge.label_width
        for x, y in [layout.labels[edge.key]]
    } | {
        f"{edge.key}d": Rectangle(x, y - 10, x + edge.end_width, y + 2)
        for edge in edges
        if edge.end_width
        for x, y in [layout.end_labels[edge.key]]
    }
    return boxes, labels


def _rectangle(shape: BoxShape, centre: Point) -> Rectangle:
    x, y = centre
    w, h = shape.width / 2, shape.height / 2
    return Rectangle(x - w, y - h, x + w, y + h)


def _rectangle_faults(
    boxes: Mapping[str, Rectangle], labels: Mapping[str, Rectangle], layout: Layout
) -> Iterator[str]:
    for key, box in boxes.items():
        yield from (f"boxes {key} {o}" for o in boxes if o > key and box.overlaps(boxes[o]))
        yield from (f"label {k} on box {key}" for k, label in labels.items() if label.overlaps(box))
        inside = box.left >= 0 and box.right <= layout.width and box.bottom <= layout.height
        if not inside:
            yield f"box {key} beyond the picture"
    for key, label in labels.items():
        yield from (f"labels {key} {o}" for o in labels if o > key and label.overlaps(labels[o]))
        if label.right > layout.width:
            yield f"label {key} beyond the picture"


def _edge_faults(
    edges: Sequence[LayoutEdge],
    boxes: Mapping[str, Rectangle],
    labels: Mapping[str, Rectangle],
    layout: Layout,
) -> Iterator[str]:
    for edge in edges:
        route, source, target = layout.routes[edge.key], boxes[edge.source], boxes[edge.target]
        if not (route[0][1] == source.bottom and source.left < route[0][0] < source.right):
            yield f"edge {edge.key} doesn't begin at its box"
        if not (route[-1][1] == target.top and target.left < route[-1][0] < target.right):
            yield f"edge {edge.key} doesn't end at its box"
        for x, y in _points_along(route):
            dot = Rectangle(x - 0.5, y - 0.5, x + 0.5, y + 0.5)
            for key, box in boxes.items():
                inner = Rectangle(box.left + 1, box.top + 1, box.right - 1, box.bottom - 1)
                if dot.overlaps(inner):
                    yield f"edge {edge.key} through box {key}"
            for key, label in labels.items():
                if dot.overlaps(label):
                    yield f"edge {edge.key} through label {key}"


def _points_along(route: Sequence[Point]) -> list[Point]:
    """Points along an edge as it is drawn: straight lines and Bézier curves in turn."""
    found = []
    for index in range(0, len(route), 2):
        (x, y), (_, bottom) = route[index : index + 2]
        if index:
            (x0, y0), middle = route[index - 1], (route[index - 1][1] + y) / 2
            for n in range(41):
                t = n / 40
                a, b, c, d = (1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3
                found.append(((a + b) * x0 + (c + d) * x, a * y0 + (b + c) * middle + d * y))
        found += [(x, y + (bottom - y) * n / 10) for n in range(11)]
    return found
