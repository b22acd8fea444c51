"""The figure of a trace as HTML: the finished graph, a caption, and every step in a list.

Without JavaScript it is a picture with a list below it; `trace.js` makes a player of it. Class
names (`card` is a box), ids and `data-` attributes are what `trace.js` and `trace.css` read.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Collection, Iterator, Mapping

from gradtrace.graph.build import Graph, build_graph, without
from gradtrace.graph.passes import select_passes
from gradtrace.graph.state import PASS_SIGNS
from gradtrace.narrate.languages import LANGUAGES
from gradtrace.narrate.steps import Step, list_steps, states
from gradtrace.render.svg import draw_svg
from gradtrace.trace import Trace


def draw_figure(
    trace: Trace,
    identity: str,
    language: str,
    passes: tuple[int, int] | None = None,
    hidden: Collection[str] = (),
) -> str:
    """The HTML of a trace's figure, whose ids all begin with `identity`.

    `passes`: the first and last backward pass to show, of all without it; `hidden`: keys of boxes
    that are not drawn, and whose steps are left out.
    """
    trace = select_passes(trace, *passes) if passes else trace
    phrases = LANGUAGES[language]
    graph = without(build_graph(trace), hidden)
    steps = list_steps(trace, language, graph)
    shown = list(states(steps))
    description = _description(graph, steps, shown, phrases)
    picture = draw_svg(graph, shown, identity, language, description)
    count = len(steps)
    labels = html.escape(phrases["buttons"].format(count=count))
    return "".join(
        [
            f'<figure class="trace" id="{identity}" data-search-exclude>',
            f'<trace-player data-words="{labels}">',
            f'<div class="graph" tabindex="0" role="group" aria-label="{phrases["box"]}">',
            f"{picture}</div>",
            f"<figcaption>{_caption(trace, graph, shown, phrases)}</figcaption>",
            f"<details open><summary>{phrases['all_steps'].format(count=count)}</summary><ol>",
            *(_list_item(step, f"{identity}-step-{n}") for n, step in enumerate(steps, 1)),
            "</ol></details></trace-player></figure>",
        ]
    )


def format_sentence(sentence: str) -> str:
    """The HTML of a sentence; text between backticks is code."""
    return re.sub("`([^`]+)`", r"<code>\1</code>", html.escape(sentence, quote=False))


def _list_item(step: Step, identity: str) -> str:
    line = f' data-l="{step.line}"' if step.line else ""
    touches = f' data-t="{" ".join(step.touches)}"' if step.touches else ""
    up = " data-up" if step.kind == "node" else ""
    changes = ""
    if step.changes:
        text = json.dumps(step.changes, ensure_ascii=False, separators=(",", ":"))
        changes = f" data-s='{html.escape(text, quote=False).replace(chr(39), '&#39;')}'"
    sentence = format_sentence(step.sentence)
    return f'<li id="{identity}"{line}{touches}{up}{changes}>{sentence}</li>'


def _description(
    graph: Graph, steps: list[Step], shown: list[dict], phrases: Mapping[str, str]
) -> str:
    """The result, for those who don't see the picture: every `.grad`, and the errors."""
    last = shown[-1] if shown else {}
    leaves = [
        phrases["svg_leaf"].format(name=box.title, grad=" ".join(last[f"{key}g"].split()))
        for key, box in graph.boxes.items()
        if box.kind == "leaf" and f"{key}g" in last
    ]
    errors = [step.sentence.replace("`", "") for step in steps if step.kind == "error"]
    return " ".join(leaves + errors)


def _caption(trace: Trace, graph: Graph, shown: list[dict], phrases: Mapping[str, str]) -> str:
    signs = sorted({sign for text in shown[-1].values() for sign in text if sign in PASS_SIGNS})
    passes = _pass_range(signs, phrases)
    legend = phrases["between"].join(
        phrases[key].format(passes=passes) for key in _legend(graph, shown)
    )
    version = trace.torch.split("+")[0]
    stopped = phrases["left_out"].format(line=trace.left_out["line"]) if trace.left_out else ""
    return phrases["recorded"].format(version=version, signs=legend) + stopped


def _pass_range(signs: list[str], phrases: Mapping[str, str]) -> str:
    """The signs of backward passes; of three or more in a row, the first and the last."""
    if len(signs) < 3:
        return phrases["and_last"].join(signs)
    if PASS_SIGNS.index(signs[-1]) - PASS_SIGNS.index(signs[0]) == len(signs) - 1:
        return phrases["range"].format(first=signs[0], last=signs[-1])
    return phrases["and_last"].join([phrases["and"].join(signs[:-1]), signs[-1]])


def _legend(graph: Graph, shown: list[dict]) -> Iterator[str]:
    """The keys of phrases that explain the shapes and signs of this picture."""
    last = shown[-1] if shown else {}
    for kind in ("leaf", "constant", "module"):
        if any(box.kind == kind for box in graph.boxes.values()):
            yield f"shape_{kind}"
    if any(edge.kind == "cut" for edge in graph.edges):
        yield "shape_cut"
    if any(slot.endswith("h") for slot in last):
        yield "shape_hook"
    if any(slot.endswith("g") for slot in last):
        yield "sign_grad"
    if any(box.node == "AccumulateGrad" for box in graph.boxes.values()):
        yield "sign_adds"
    numbered = any(text.startswith(tuple(PASS_SIGNS)) for text in last.values())
    if any(slot.startswith("e") for slot in last):
        yield "sign_summed_n" if numbered else "sign_summed"
    if numbered:
        yield "sign_passes"
    if any(" → " in text for text in last.values()):
        yield "sign_history"
