"""Where a page asks for the figure of a trace: what it asks for, and whether it can be drawn."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

import gradtrace.render.figure
from gradtrace.graph.nodes import read_graph
from gradtrace.model import Trace, parsed
from gradtrace.render.figure import fragment

from proofbook.model.page import Page, Reference, read
from proofbook.model.problem import Problem

ENDING = ".trace"
"""What a recording beside its script is called."""
_STYLE = Path(gradtrace.render.figure.__file__).with_name("trace.css")
_LIGHT = (
    "--trace-line:#76838c;--trace-grad:#a05a00;--trace-leaf:#17597f;--trace-on:#b3261e;"
    "--md-default-fg-color:#1c242b;--md-default-fg-color--light:#50606c;--md-code-bg-color:#f5f6f3;"
    "--md-code-font:monospace"
)
_PASSES = re.compile(r"([1-9]\d*)(?:-([1-9]\d*))?")


def drawn(page: Page, reference: Reference, root: Path) -> str:
    """The HTML of the figure, in the page's language."""
    recorded = read((root / reference.path).with_suffix(ENDING))
    language = page.file.removesuffix(".md").rpartition(".")[2]
    return _drawn(recorded, identity(reference), language, passes(reference))


@lru_cache(maxsize=256)
def _drawn(recorded: str, name: str, language: str, shown: tuple[int, int] | None) -> str:
    return fragment(parsed(recorded), name, language, shown)


def image(page: Page, reference: Reference, root: Path) -> str:
    """The picture of the figure as an SVG file: it brings its own style, that of a light page."""
    picture = re.search("<svg.*?</svg>", drawn(page, reference, root), re.DOTALL)[0]
    rules = re.findall(
        r"(?m)^\.trace (svg .*)$", _STYLE.read_text("utf-8").partition("/* While")[0]
    )
    opening, closed, rest = picture.partition(">")
    opening = opening.replace("<svg", '<svg xmlns="http://www.w3.org/2000/svg"', 1)
    style = "".join([f"svg{{background:#fff;{_LIGHT}}}", *rules])
    return f"{opening}{closed}<style>{style}</style>{rest}"


def steps(page: Page, root: Path) -> dict[str, int]:
    """The anchors of a page's figures, and how many steps each has."""
    found = {}
    for reference in page.references:
        if reference.option("figure") == "trace" and not list(problems(page, reference, root)):
            found[identity(reference)] = drawn(page, reference, root).count("<li ")
    return found


def identity(reference: Reference) -> str:
    """The anchor of the figure, from the name of its snippet and the passes it shows."""
    name = reference.path.removeprefix("snippets/").removesuffix(".py")
    told = reference.option("passes")
    return re.sub("[/_]", "-", f"trace-{name}") + (f"-passes-{told}" if told else "")


def passes(reference: Reference) -> tuple[int, int] | None:
    """The first and the last backward pass that are asked for, or None for all."""
    told = _PASSES.fullmatch(reference.option("passes") or "")
    return (int(told[1]), int(told[2] or told[1])) if told else None


def problems(page: Page, reference: Reference, root: Path) -> Iterator[Problem]:
    """Why the figure cannot be drawn."""
    file = (root / reference.path).with_suffix(ENDING)
    name = file.relative_to(root).as_posix()

    def problem(what: str, expected: str, found: str, mend: str) -> Problem:
        return Problem(page.file, reference.line, what, expected, found, mend, (page.file,))

    correct = "correct the options below this line"
    told, captions = reference.option("passes"), reference.option("captions")
    if reference.option("figure") != "trace" or captions:
        found = f"figure: {reference.option('figure')}" + (" with captions" if captions else "")
        yield problem("the figure cannot be drawn", "figure: trace, alone", found, correct)
        return
    try:
        trace = parsed(read(file))
        read_graph(trace)
    except (OSError, ValueError, KeyError) as error:
        found = "none" if isinstance(error, OSError) else str(error)
        if isinstance(error, KeyError):
            found = f"a trace that tells of {error} without describing it"
        mend = f"proofbook update {reference.path}"
        yield problem("the snippet has no recorded trace", f"a file {name}", found, mend)
        return
    if not any(event["k"] in ("node", "acc") for event in trace.events):
        found = f"{name}, in which no backward pass ran"
        yield problem("the figure cannot be drawn", "a graph that ran backward", found, correct)
        return
    last = max(_walked(trace), default=0)
    if told and not (_PASSES.fullmatch(told) and _in_order(passes(reference), last)):
        expected = f"passes from 1 to {last}, as 1 or 1-2" if last else "no passes: it has none"
        yield problem("the trace has no such passes", expected, f"passes: {told}", correct)


def _walked(trace: Trace) -> list[int]:
    return [event["p"] for event in trace.events if event["k"] == "backward"]


def _in_order(asked: tuple[int, int] | None, last: int) -> bool:
    return asked is not None and asked[0] <= asked[1] <= last
