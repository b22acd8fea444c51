"""`curve: loss | w.grad`: a printed number over the values of a varied one, with a ball to drag.

An option of `figure: curve` and of `figure: trace`. With one varied number it is a curve, and the
second label is its slope, drawn as a tangent; with two it is contour lines, and the two further
labels are the gradient, against which an arrow points. All coordinates come from the recorded runs;
the browser only moves the ball to those of another run.
"""

from __future__ import annotations

import html
import io
import json
import math
import re
from collections.abc import Iterator, Sequence
from importlib.util import find_spec

from gradtrace.drawing.figure import format_sentence, table_of_texts

from proofbook.directives import plot, trace_figure, varied_figure
from proofbook.markdown.spans import Reference
from proofbook.model.book import Book
from proofbook.model.page import Page
from proofbook.model.problem import Problem
from proofbook.model.snippet import figure_anchor
from proofbook.model.varied_runs import parse_runs, varied_file

_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*(?:e[-+]?\d+)?|nan|inf)")
_REACH = 48
"""Half the length of a tangent, and the length of the longest arrow, in units of the picture."""


def printed_number(output: str, label: str) -> float:
    """The first number behind a label at the beginning of a line. Raises `ValueError`."""
    begins = re.compile(rf"{re.escape(label)}\W")
    for line in filter(begins.match, output.split("\n")):
        if number := _NUMBER.search(line, len(label)):
            return float(number[0])
    raise ValueError(f"no line of the output begins with {label!r} and has a number after it")


def figure(page: Page, reference: Reference, book: Book) -> str:
    """The HTML of the picture as a figure of its own, with the controls of its numbers."""
    identity, controls = figure_anchor(reference), plot.controls(page, reference, book)
    picture = f"<varied-plot>{draw(reference, book)}</varied-plot>"
    return f'<figure class="plot beside" id="{identity}">{controls}{picture}</figure>'


def data_files(page: Page, book: Book) -> Iterator[tuple[str, str]]:
    """The data files of a page's figures of this kind: what each run prints."""
    for reference in page.references:
        if reference.option("figure") == "curve" and not list(problems(page, reference, book)):
            _, runs = parse_runs(book.text(varied_file(reference.path)), "")
            table = table_of_texts([None, run.printed.rstrip("\n")] for run in runs)
            text, identity = json.dumps(table, ensure_ascii=False), figure_anchor(reference)
            yield varied_figure.data_file(identity), varied_figure.as_script(text, identity)


def draw(reference: Reference, book: Book) -> str:
    """The HTML of the picture and its caption; requires that `problems` finds nothing."""
    varied, names = varied_figure.asked(reference), tuple(reference.listed("curve"))
    words = plot.rendered_labels(reference.option("words"))
    shown = tuple(sorted(words.items()))
    beside_graph = reference.option("figure") == "trace"
    about = names, shown, reference.option("alt"), beside_graph
    svg = book.remember(_picture, reference.path, varied, *about)
    caption = format_sentence(reference.option("caption") or "")
    return f'<div class="curve">{svg}<p class="caption">{caption}</p></div>'


def problems(page: Page, reference: Reference, book: Book) -> Iterator[Problem]:
    """The reasons why the curve cannot be drawn."""
    varied, names = varied_figure.asked(reference), reference.listed("curve")
    traced = reference.option("figure") == "trace"
    recording = trace_figure.recording_file(reference.path) if traced else ""
    if wrong := list(varied_figure.problems(page, reference, book, recording)):
        yield from () if traced else wrong  # those of a trace are reported with it
        return
    expected = found = ""
    if not varied:
        expected, found = "a number to change: vary: w = 2.0 | -2 to 4 step 0.5", "none"
    elif len(names) not in (1, 1 + len(varied)):
        expected = f"curve: <label> or curve: <label>{' | <label of its slope>' * len(varied)}"
        found = f"curve: {' | '.join(names)}"
    elif not (reference.option("alt") and reference.option("caption")):
        expected, found = "alt: <what it shows>, and caption: <what to notice>", "not both"
    elif not find_spec("matplotlib"):
        expected, found = "Matplotlib: python -m pip install matplotlib", "not installed"
    else:
        try:
            _runs(book, reference.path, varied, tuple(names))
        except ValueError as error:
            expected, found = "labels that each run prints before a number", str(error)
    if expected:
        what, fix = "the curve cannot be drawn", "correct the options below this line"
        yield page.problem(reference.line, what, expected, found, fix)


def _runs(
    book: Book, script: str, varied: tuple[str, ...], names: tuple[str, ...]
) -> tuple[list[tuple[float, ...]], list[list[float]]]:
    """The values of each run, and the numbers that it printed behind the labels."""
    _, runs = parse_runs(book.text(varied_file(script)), "")
    printed = [[printed_number(run.printed, name) for name in names] for run in runs]
    return [tuple(map(float, values)) for values in varied_figure.values_of(varied)], printed


def _picture(
    book: Book,
    script: str,
    varied: tuple[str, ...],
    names: tuple[str, ...],
    words: tuple[tuple[str, str], ...],
    alt: str,
    beside_graph: bool,
) -> str:
    # Slow to import, and for this alone.
    import numpy as np
    from matplotlib import rc_context
    from matplotlib.figure import Figure
    from matplotlib.tri import CubicTriInterpolator, Triangulation, UniformTriRefiner

    values, printed = _runs(book, script, varied, names)
    axis = [number.label for number in varied_figure.numbers_of(book.text(script), varied)]
    with rc_context(fname=plot.STYLE):
        # One unit of the picture is one of its pixels.
        size = (5, 2.2) if len(axis) == 1 else (5, 3)
        figure = Figure(figsize=(3.6, 1.6) if beside_graph else size, dpi=72)
        axes = figure.add_subplot()
        points, heights = np.array(values), np.array([row[0] for row in printed])
        if len(axis) == 1:
            axes.plot(points[:, 0], heights)
            axes.set_ylabel(names[0])
            points = np.column_stack([points[:, 0], heights])
        else:
            levels = np.unique(np.quantile(heights, np.linspace(0.1, 0.9, 6), method="nearest"))
            # Between the points, the surface has the slopes that were printed.
            corners = Triangulation(*points.T)
            given = {"kind": "user", "dz": np.array([row[1:] for row in printed]).T}
            surface = CubicTriInterpolator(corners, heights, **(given if names[1:] else {}))
            fine = UniformTriRefiner(corners).refine_field(heights, surface, subdiv=3)
            lines = axes.tricontour(*fine, levels, colors="#111101", linewidths=1.2)
            for label in axes.clabel(lines, fmt="%.3g"):
                ends = label.get_window_extent().corners()
                label.set_visible(all(axes.bbox.contains(*end) for end in ends))
            axes.set_aspect("equal")
            axes.set_ylabel(axis[1], rotation=0)
        axes.set_xlabel(axis[0])
        buffer = io.StringIO()
        figure.savefig(buffer, format="svg")
        places = axes.transData.transform(points) * (1, -1) + (0, figure.bbox.height)
        scale = axes.transData.transform([[1, 1]])[0] - axes.transData.transform([[0, 0]])[0]
    lines = _lines([row[1:] for row in printed], scale)
    rows = [
        [round(float(x), 1), round(float(y), 1), *line] if math.isfinite(x + y) else []
        for (x, y), line in zip(places, lines, strict=True)
    ]
    own = rows[varied_figure.own_run(varied)]
    at = html.escape(json.dumps(rows, separators=(",", ":")))
    attributes = {"role": "img", "aria-label": alt}
    svg = plot.fragment(buffer.getvalue(), f"{script}-curve", dict(words), attributes)
    return svg.replace("<svg", f'<svg data-at="{at}"', 1).replace("</svg>", f"{_ball(own)}</svg>")


def _lines(slopes: Sequence[Sequence[float]], scale: Sequence[float]) -> list[list[float]]:
    """For each run, the ends of its tangent or arrow, from the ball: nothing without slopes, and
    a line without length where a slope is nan."""
    lines: list[list[float]] = []
    longest = max((size for s in slopes if (size := math.hypot(*s)) < math.inf), default=0.0) or 1.0
    for slope in slopes:
        if len(slope) == 1:
            angle = math.atan2(-slope[0] * scale[1], scale[0])
            x, y = _REACH * math.cos(angle), _REACH * math.sin(angle)
            line = [-x, -y, x, y]
        else:
            line = (
                [0, 0, *(_REACH * 2 * s / longest for s in (-slope[0], slope[1]))] if slope else []
            )
        lines.append([round(end, 1) if math.isfinite(end) else 0 for end in line])
    return lines


def _ball(row: Sequence[float]) -> str:
    x, y, *line = row or (0, 0)
    ends = "".join(f' {k}="{v}"' for k, v in zip(("x1", "y1", "x2", "y2"), line, strict=False))
    circles = '<circle class="reach" r="16"></circle><circle r="5"></circle>'
    place = f'transform="translate({x} {y})"' + ("" if row else " visibility='hidden'")
    return f'<g class="ball" {place}>{f"<line{ends}></line>" if line else ""}{circles}</g>'
