"""`figure: trace`: the autograd figure, drawn from the recording next to a snippet."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from gradtrace import (
    LANGUAGES,
    VariedFigure,
    asset_path,
    backward_passes,
    build_graph,
    draw_figure,
    parse_trace,
)
from gradtrace.words import PLAIN

from proofbook.directives import varied_figure
from proofbook.markdown.spans import Reference
from proofbook.model.book import Book
from proofbook.model.config import FALLBACK
from proofbook.model.page import Page
from proofbook.model.problem import Problem
from proofbook.model.snippet import figure_anchor

ENDING = ".trace"
"""The suffix of a recording next to its script."""
_LIGHT = (
    "--trace-line:#76838c;--trace-grad:#a05a00;--trace-leaf:#17597f;--trace-on:#b3261e;"
    "--md-default-fg-color:#1c242b;--md-default-fg-color--light:#50606c;--md-code-bg-color:#f5f6f3;"
    "--md-code-font:monospace"
)
_PASSES = re.compile(r"([1-9]\d*)(?:-([1-9]\d*))?")


def recording_file(script: str) -> str:
    """The file that holds the recording of a script."""
    return f"{script.removesuffix('.py')}{ENDING}"


def draw(page: Page, reference: Reference, book: Book) -> str:
    """The HTML of the figure, in the page's language if gradtrace has its words, or in English."""
    if varied_figure.asked(reference):
        return varied(page, reference, book).html
    recording = book.text(recording_file(reference.path))
    return _figure(recording, figure_anchor(reference), _words(page, reference), passes(reference))


def varied(page: Page, reference: Reference, book: Book) -> VariedFigure:
    """The figure in which numbers can be changed, and its data."""
    return book.remember(
        varied_figure.draw,
        reference.path,
        recording_file(reference.path),
        figure_anchor(reference),
        _words(page, reference),
        passes(reference),
        varied_figure.asked(reference),
    )


def data_files(page: Page, book: Book) -> Iterator[tuple[str, str]]:
    """The data files of a page's figures, which are next to it: name and text."""
    for reference in page.references:
        if reference.option("figure") != "trace":
            continue
        if varied_figure.asked(reference) and not list(problems(page, reference, book)):
            name = figure_anchor(reference)
            figure = varied(page, reference, book)
            yield varied_figure.data_file(name), varied_figure.as_script(figure.data, name)


def _words(page: Page, reference: Reference) -> str:
    language = page.language if page.language in LANGUAGES else FALLBACK
    return language + (PLAIN if reference.option("names") else "")


@lru_cache(maxsize=512)
def _figure(recording: str, name: str, language: str, shown: tuple[int, int] | None) -> str:
    return draw_figure(parse_trace(recording), name, language, shown)


def svg_file(page: Page, reference: Reference, book: Book) -> str:
    """The graph as an SVG file with its own style, as on a light page."""
    graph = re.search("<svg.*?</svg>", draw(page, reference, book), re.DOTALL)[0]
    style = asset_path("trace.css").read_text("utf-8")
    rules = re.findall(r"(?m)^\.trace (svg .*)$", style.partition("/* While")[0])
    opening, closed, rest = graph.partition(">")
    opening = opening.replace("<svg", '<svg xmlns="http://www.w3.org/2000/svg"', 1)
    style = "".join([f"svg{{background:#fff;{_LIGHT}}}", *rules])
    return f"{opening}{closed}<style>{style}</style>{rest}"


def step_counts(page: Page, book: Book) -> dict[str, int]:
    """The number of steps of each figure of a page, by the anchor of the figure."""
    return {
        figure_anchor(reference): draw(page, reference, book).count("<li ")
        for reference in page.references
        if reference.option("figure") == "trace" and not list(problems(page, reference, book))
    }


def passes(reference: Reference) -> tuple[int, int] | None:
    """The first and the last backward pass that the figure shows, or None for all."""
    numbers = _PASSES.fullmatch(reference.option("passes") or "")
    return (int(numbers[1]), int(numbers[2] or numbers[1])) if numbers else None


def problems(page: Page, reference: Reference, book: Book) -> Iterator[Problem]:
    """The reasons why the figure cannot be drawn."""
    shown, name = reference.option("passes"), recording_file(reference.path)
    yield from varied_figure.problems(page, reference, book, name)

    def problem(what: str, expected: str, found: str, fix: str) -> Problem:
        return page.problem(reference.line, what, expected, found, fix)

    correct = "correct the options below this line"
    try:
        trace = parse_trace(book.text(name))
        build_graph(trace)
    except (OSError, ValueError, KeyError) as error:
        found = "none" if isinstance(error, OSError) else str(error)
        if isinstance(error, KeyError):
            found = f"a trace that tells of {error} without describing it"
        fix = f"proofbook update {reference.path}"
        yield problem("the snippet has no recorded trace", f"a file {name}", found, fix)
        return
    if not any(event["k"] in ("node", "acc") for event in trace.events):
        found = f"{name}, in which no backward pass ran"
        yield problem("the figure cannot be drawn", "a graph that ran backward", found, correct)
        return
    if (names := reference.option("names")) not in (None, "plain"):
        yield problem("unknown names", "names: plain", f"names: {names}", correct)
    last = max(backward_passes(trace), default=0)
    if shown and not (_PASSES.fullmatch(shown) and _in_order(passes(reference), last)):
        expected = f"passes from 1 to {last}, as 1 or 1-2" if last else "no passes: it has none"
        yield problem("the trace has no such passes", expected, f"passes: {shown}", correct)


def _in_order(wanted: tuple[int, int] | None, last: int) -> bool:
    return wanted is not None and wanted[0] <= wanted[1] <= last
