"""What the tests of figures share: which snippets they draw, and a look at what is drawn."""

from __future__ import annotations

import re
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path

from gradtrace.graph.build import build_graph
from gradtrace.narrate.steps import list_steps, states
from gradtrace.render.svg import arrange
from gradtrace.trace import Trace

ROOT = Path(__file__).resolve().parent.parent
NAMES = [
    "accumulate/two_losses",
    "accumulate/second_time",
    "accumulate/without_zero_grad",
    "basics/broadcast_sum",
    "basics/second_derivative",
    "convolution/logits_to_image",
    "freezing/detach_kinds",
    "freezing/one_path_cut",
    "module_hooks/full_hook",
    "module_hooks/nested",
    "sharing/called_twice",
    "sharing/one_after_another",
    "tensor_hooks/all_or_any",
    "tensor_hooks/half_gradient",
    "updates/by_hand",
]
"""Snippets whose figures are tried: several passes, errors, loops, hooks of every kind, large
tensors, cuts."""
_NUMBER = re.compile(r"(?<![\w.])[−-]?\d+(?:\.\d+)?(?:e[+−-]?\d+)?(?![\w]|\.\d)")


def numbers(text: str) -> set[float]:
    """The numbers in a text; digits within a name are none."""
    return {abs(float(found.replace("−", "-"))) for found in _NUMBER.findall(text)}


class Seen(HTMLParser):
    """What a reader of a figure meets: its texts, and the attributes of its elements."""

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


@dataclass(frozen=True)
class Box:
    """A rectangle, from its middle."""

    left: float
    top: float
    right: float
    bottom: float

    def meets(self, other: Box) -> bool:
        """Whether the two have a point in common."""
        across = self.left < other.right and other.left < self.right
        return across and self.top < other.bottom and other.top < self.bottom


def faults(trace: Trace, language: str = "zh") -> list[str]:
    """Cards that overlap, lines that pass through cards, labels that touch anything."""
    graph = build_graph(trace)
    shown = list(states(list_steps(trace, language, graph)))
    faces, lines, layout = arrange(graph, shown)
    boxes = {
        key: Box(x - f.width / 2, y - f.height / 2, x + f.width / 2, y + f.height / 2)
        for key, f in faces.items()
        for x, y in [layout.centres[key]]
    }
    labels = {
        line.key: Box(x, y - 10, x + line.label_width, y + 2)
        for line in lines
        if line.label_width
        for x, y in [layout.labels[line.key]]
    }
    page = Box(0, 0, layout.width, layout.height)
    found = []
    for key, box in boxes.items():
        found += [f"cards {key} {o}" for o in boxes if o > key and box.meets(boxes[o])]
        found += [f"label {k} on card {key}" for k, label in labels.items() if label.meets(box)]
        if box.left < page.left or box.right > page.right or box.bottom > page.bottom:
            found.append(f"card {key} beyond the picture")
    for key, label in labels.items():
        found += [f"labels {key} {o}" for o in labels if o > key and label.meets(labels[o])]
        if label.right > page.right:
            found.append(f"label {key} beyond the picture")
    for line in lines:
        route, above, below = layout.routes[line.key], boxes[line.source], boxes[line.target]
        if not (route[0][1] == above.bottom and above.left < route[0][0] < above.right):
            found.append(f"line {line.key} doesn't begin at its card")
        if not (route[-1][1] == below.top and below.left < route[-1][0] < below.right):
            found.append(f"line {line.key} doesn't end at its card")
        for x, y in points(layout.routes[line.key]):
            dot = Box(x - 0.5, y - 0.5, x + 0.5, y + 0.5)
            for key, box in boxes.items():
                inside = Box(box.left + 1, box.top + 1, box.right - 1, box.bottom - 1)
                if dot.meets(inside):
                    found.append(f"line {line.key} through card {key}")
            found += [
                f"line {line.key} through label {key}"
                for key, label in labels.items()
                if dot.meets(label)
            ]
    return sorted(set(found))


def points(route) -> list[tuple[float, float]]:
    """Points along a line as it is drawn."""
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
