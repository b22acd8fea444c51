"""The cover of this book: the gradients of a recording as streams, as wide as they are large.

A page writes `::: cover` and below it `of: snippets/....py`. What is drawn comes from the recording
beside that script: at each node a stream is as wide as the gradient that the node received.
"""

from __future__ import annotations

import html
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gradtrace import Trace, build_graph, format_number, parse_trace, scalar
from proofbook.directives.directive import Directive
from proofbook.directives.trace_figure import recording_file
from proofbook.model.book import Book
from proofbook.model.page import Page, Reference
from proofbook.model.problem import Problem, Unproved

WIDTH, MIDDLE, TOP, ROW, WIDEST = 340, 172, 74, 84, 132
MINUS = ' class="minus"'
_SPREAD = (46, 60, 66)
"""How far from the middle the streams stand where they are apart, from above to below."""
_COMMA = {"zh": "、", "en": ", "}
_WORDS = {
    "zh": {
        "description": "{count} 次反向传播，梯度流向 {leaf}。{streams}{leaf}.grad 最后是 {sum}。",
        "stream": "从 {root} 来的：{values}。",
        "caption": "真跑出来的两次反向传播，从下往上：越宽，梯度越大；蓝色是负的。",
    },
    "en": {
        "description": "The gradients of {count} backward passes flow to {leaf}. "
        "{streams}In the end {leaf}.grad is {sum}.",
        "stream": "From {root}: {values}. ",
        "caption": "Two backward passes as they really ran, from below: the wider, the larger the "
        "gradient; blue is negative.",
    },
}


@dataclass(frozen=True)
class Stop:
    """A node that a stream passes: its key, its name in the script, the gradient it received.

    `label`: the gradient as the figure prints it.
    """

    key: str
    name: str
    gradient: float
    label: str


@dataclass(frozen=True)
class Cover:
    """The streams, each from the leaf down to the root, and `.grad` in the end."""

    streams: tuple[tuple[Stop, ...], ...]
    total: str


def read_cover(trace: Trace) -> Cover:
    """The streams of a recording; raises `ValueError` where they cannot be drawn as streams."""
    graph, streams, total = build_graph(trace), [], None
    starts = [event for event in trace.events if event["k"] == "backward"]
    for start in starts:
        ran = [e for e in trace.events if e["k"] in ("node", "acc") and e["p"] == start["p"]]
        for event, after in zip(ran, [*ran[1:], None], strict=True):
            going = [value for value in event.get("gout", ()) if value]
            if len(event["gin"]) != 1 or scalar(event["gin"][0]) is None:
                raise ValueError(f"a gradient that is not one number, in line {event['line']}")
            if bool(after) != (len(going) == 1) or (event["k"] == "acc") != (after is None):
                raise ValueError(f"a gradient that parts or ends, in line {event['line']}")
        gradients = [scalar(event["gin"][0]) for event in ran]
        streams.append(
            tuple(
                Stop(e["n"], graph.boxes[e["n"]].title, g, format_number(e["gin"][0]["v"]))
                for e, g in reversed(list(zip(ran, gradients, strict=True)))
            )
        )
        if (total is None) != (ran[-1]["before"] is None):
            raise ValueError("a .grad that isn't the sum of these gradients")
        total = format_number(ran[-1]["after"]["v"])
    if len({(s[0].key, len(s)) for s in streams}) != 1 or len(streams) != 2:
        raise ValueError("not two backward passes of one length to one leaf")
    return Cover(tuple(streams), total)


def draw(reference: Reference, page: Page, book: Book) -> str:
    """The HTML of the cover, in the page's language."""
    trace = parse_trace(book.text(recording_file(reference.option("of") or "")))
    cover, language = read_cover(trace), page.file.removesuffix(".md").rpartition(".")[2]
    words = _WORDS[language]
    leaf = cover.streams[0][0].name
    streams = "".join(
        words["stream"].format(
            root=stream[-1].name, values=_COMMA[language].join(s.label for s in reversed(stream))
        )
        for stream in cover.streams
    )
    description = words["description"].format(
        count=len(cover.streams), leaf=leaf, streams=streams, sum=cover.total
    )
    return (
        f'<figure class="cover" data-search-exclude>{_svg(cover, description)}'
        f"<figcaption>{words['caption']}</figcaption></figure>"
    )


def _expand(reference: Reference, page: Page, book: Book) -> list[str]:
    try:
        return [draw(reference, page, book)]
    except (OSError, ValueError, KeyError) as error:
        problem = Problem(
            page.file,
            reference.line,
            "the cover cannot be drawn",
            OPTIONS["of"],
            f"of: {reference.option('of')}: {error}",
            "correct the option below this line",
            (page.file,),
        )
        raise Unproved([problem]) from error


OPTIONS = {"of": "of: <a snippet with a recording of two backward passes to one number>"}
DIRECTIVES = [
    Directive(
        "cover",
        _expand,
        OPTIONS,
        recording=lambda reference: reference.option("of"),
        site_only=True,
    )
]


def _svg(cover: Cover, description: str) -> str:
    rows = len(cover.streams[0])
    height = TOP + (rows - 1) * ROW + 34
    scale = WIDEST / sum(abs(stream[0].gradient) for stream in cover.streams)
    edges = _edges(cover.streams, scale)
    parts = [
        f'<svg viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{html.escape(description)}">',
        "<defs>",
        *(_shade(i, stream) for i, stream in enumerate(cover.streams, 1)),
        "</defs>",
    ]
    for i, side in enumerate(edges, 1):
        parts.append(f'<path class="s{i}" fill="url(#cover-{i})" d="{_outline(side)}"/>')
    left, right = edges[0][0][0], edges[-1][0][1]
    parts.append(f'<path class="leaf" d="M{_n(left)} {TOP}H{_n(right)}"/>')
    parts += _labels(cover, edges)
    return "".join([*parts, "</svg>"])


def _edges(streams: Sequence[Sequence[Stop]], scale: float) -> list[list[tuple[float, float]]]:
    """The left and the right edge of each stream at each of its nodes."""
    one, two = streams
    first, second, apart = [], [], 0
    for a, b in zip(one, two, strict=True):
        wide, other = abs(a.gradient) * scale, abs(b.gradient) * scale
        if a.key == b.key:  # side by side: together they are what the node has received
            left = MIDDLE - (wide + other) / 2
            first.append((left, left + wide))
            second.append((left + wide, left + wide + other))
        else:
            away = _SPREAD[min(apart, len(_SPREAD) - 1)]
            apart += 1
            first.append((MIDDLE - away - wide / 2, MIDDLE - away + wide / 2))
            second.append((MIDDLE + away - other / 2, MIDDLE + away + other / 2))
    return [first, second]


def _outline(edges: Sequence[tuple[float, float]]) -> str:
    """Down along the left edge and up along the right one."""
    left = [(x, TOP + i * ROW) for i, (x, _) in enumerate(edges)]
    right = [(x, TOP + i * ROW) for i, (_, x) in enumerate(edges)]
    path = f"M{_n(left[0][0])} {TOP}" + "".join(map(_curve, left, left[1:]))
    back = right[::-1]
    return path + f"H{_n(back[0][0])}" + "".join(map(_curve, back, back[1:])) + "z"


def _curve(start: tuple[float, float], end: tuple[float, float]) -> str:
    half = _n((start[1] + end[1]) / 2)
    return f"C{_n(start[0])} {half} {_n(end[0])} {half} {_n(end[0])} {_n(end[1])}"


def _shade(number: int, stream: Sequence[Stop]) -> str:
    """The color along a stream: that of its sign at each node."""
    last = len(stream) - 1
    stops = "".join(
        f'<stop offset="{_n(i / last)}"{MINUS * (stop.gradient < 0)}/>'
        for i, stop in enumerate(stream)
    )
    bottom = TOP + last * ROW
    return (
        f'<linearGradient id="cover-{number}" gradientUnits="userSpaceOnUse" x1="0" x2="0" '
        f'y1="{TOP}" y2="{bottom}">{stops}</linearGradient>'
    )


def _labels(cover: Cover, edges: Sequence[Sequence[tuple[float, float]]]) -> Iterator[str]:
    """At each node its name and the gradients; above the leaf, their sum."""
    one, two = cover.streams
    last = len(one) - 1
    for i, (a, b) in enumerate(zip(one, two, strict=True)):
        y, late = TOP + i * ROW + 5, f' style="--row:{last - i}"'
        if i == 0:
            sums = [(edges[0][0], a), (edges[1][0], b)]
            for (left, right), stop in sums:
                x = _n((left + right) / 2)
                yield f'<text class="in" x="{x}" y="{TOP + 22}"{late}>{stop.label}</text>'
            yield (
                f'<text class="sum" x="{MIDDLE}" y="{TOP - 16}"{late}>'
                f"<tspan>{html.escape(a.name)}.grad</tspan> {cover.total}</text>"
            )
            continue
        shared = a.key == b.key
        names = html.escape(a.name), html.escape(b.name)
        yield (
            f'<text class="left" x="{_n(edges[0][i][0] - 9)}" y="{y}"{late}>'
            f"<tspan>{names[0]}</tspan> {a.label}</text>"
        )
        name = "" if shared else f" <tspan>{names[1]}</tspan>"
        minus = " minus" * (b.gradient < 0)
        yield (
            f'<text class="right{minus}" x="{_n(edges[1][i][1] + 9)}" y="{y}"{late}>'
            f"{b.label}{name}</text>"
        )


def _n(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")
