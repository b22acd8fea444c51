"""The figure of a trace as HTML: the finished graph, a caption, and every step in a list.

Without JavaScript it is a picture with a list below it; `trace.js` makes a player of it. Class
names (`card` is a box), ids and `data-` attributes are what `trace.js` and `trace.css` read.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from gradtrace.graph.build import Graph, build_graph
from gradtrace.graph.passes import numbered_from_one, select_passes
from gradtrace.graph.streams import widths_of_streams
from gradtrace.narrate.languages import LANGUAGES
from gradtrace.narrate.steps import Step, list_steps, texts_of_slots
from gradtrace.render.legend import draw_legend
from gradtrace.render.svg import draw_svg
from gradtrace.trace import Trace

WIDE = 620
"""Pixels. Beside a script there is no room for a wider picture: its letters would be tiny."""


@dataclass(frozen=True)
class FigureParts:
    """What a figure of a trace is made of, before its picture is drawn.

    `texts`: all that each slot shows, in order; `items`: the steps, as HTML; `words`: those of the
    player; `summary`: how the list of steps is called.
    """

    graph: Graph
    texts: Mapping[str, Sequence[str]]
    description: str
    caption: str
    words: str
    summary: str
    items: tuple[str, ...]


def figure_parts(
    trace: Trace,
    identity: str,
    language: str,
    passes: tuple[int, int] | None = None,
    largest: float | None = None,
) -> FigureParts:
    """The parts of a figure, whose ids all begin with `identity`; `passes` as in `draw_figure`.

    The figure numbers the passes that it shows, and its steps, from 1. `largest`: the size of the
    gradient whose stream is the widest, if it isn't one of this trace.
    """
    trace = numbered_from_one(select_passes(trace, *passes), passes[0]) if passes else trace
    phrases = LANGUAGES[language]
    graph = build_graph(trace)
    steps = with_streams(list_steps(trace, language, graph), trace, graph, largest)
    texts = texts_of_slots(steps)
    last = {slot: shown[-1] for slot, shown in texts.items()}
    count = len(steps)
    return FigureParts(
        graph,
        texts,
        describe(graph, steps, last, phrases),
        caption(trace, graph, texts, phrases),
        phrases["buttons"].format(count=count),
        phrases["all_steps"].format(count=count),
        tuple(_list_item(step, f"{identity}-step-{n}") for n, step in enumerate(steps, 1)),
    )


def draw_figure(
    trace: Trace,
    identity: str,
    language: str,
    passes: tuple[int, int] | None = None,
) -> str:
    """The HTML of a trace's figure, whose ids all begin with `identity`.

    `passes`: the first and last backward pass to show, of all without it. The player frames the
    line that runs in the last `.highlight pre > code` before the figure, where each line of the
    code is an element of the class `code-line`.
    """
    parts = figure_parts(trace, identity, language, passes)
    picture = draw_svg(parts.graph, parts.texts, identity, language, parts.description)
    return assemble(parts, picture, identity, language)


def assemble(
    parts: FigureParts, picture: str, identity: str, language: str, controls: str = ""
) -> str:
    """The HTML of a figure. `controls`: what stands before its player."""
    box = LANGUAGES[language]["box"]
    width = float(re.search('viewBox="0 0 ([0-9.]+)', picture)[1])
    kind = "trace wide" if width > WIDE else "trace"
    return "".join(
        [
            f'<figure class="{kind}" id="{identity}" data-search-exclude>{controls}',
            f'<trace-player data-words="{html.escape(parts.words)}">',
            f'<div class="graph" tabindex="0" role="group" aria-label="{box}">{picture}</div>',
            f"<figcaption>{parts.caption}</figcaption>",
            f"<details open><summary>{parts.summary}</summary><ol>{''.join(parts.items)}</ol>",
            "</details></trace-player></figure>",
        ]
    )


def format_sentence(sentence: str) -> str:
    """The HTML of a sentence; text between backticks is code."""
    return re.sub("`([^`]+)`", r"<code>\1</code>", html.escape(sentence, quote=False))


def _list_item(step: Step, identity: str) -> str:
    line = f' data-l="{step.line}"' if step.line else ""
    line += f' data-e="{step.last_line}"' if step.last_line else ""
    touches = f' data-t="{" ".join(step.touches)}"' if step.touches else ""
    up = " data-up" if step.kind == "node" else ""
    number = f' data-p="{step.backward}"' if step.backward else ""
    changes = ""
    if step.changes:
        text = json.dumps(step.changes, ensure_ascii=False, separators=(",", ":"))
        changes = f" data-s='{html.escape(text, quote=False).replace(chr(39), '&#39;')}'"
    sentence = format_sentence(step.sentence)
    return f'<li id="{identity}"{line}{touches}{up}{number}{changes}>{sentence}</li>'


def with_streams(
    steps: Sequence[Step], trace: Trace, graph: Graph, largest: float | None = None
) -> list[Step]:
    """The steps, each with how wide the streams are then; `largest` as in `figure_parts`."""
    widths = widths_of_streams(trace, graph, largest)
    return [replace(step, changes={**step.changes, **widths.get(step.event, {})}) for step in steps]


def describe(
    graph: Graph, steps: list[Step], last: Mapping[str, str], phrases: Mapping[str, str]
) -> str:
    """The result, for those who don't see the picture: every `.grad`, and the errors."""
    leaves = [
        phrases["svg_leaf"].format(name=box.title, grad=" ".join(last[f"{key}g"].split()))
        for key, box in graph.boxes.items()
        if box.kind == "leaf" and f"{key}g" in last
    ]
    errors = [step.sentence.replace("`", "") for step in steps if step.kind == "error"]
    return " ".join(leaves + errors)


def caption(
    trace: Trace, graph: Graph, texts: Mapping[str, Sequence[str]], phrases: Mapping[str, str]
) -> str:
    """The legend of a picture, and with which PyTorch it was recorded. `texts`: all that each slot
    shows, in order."""
    version = trace.torch.split("+")[0]
    stopped = phrases["left_out"].format(line=trace.left_out["line"]) if trace.left_out else ""
    recorded = phrases["recorded"].format(version=version) + stopped
    return f"{draw_legend(trace, graph, texts, phrases)}<br/>{recorded}"
