"""The legend of a picture: a small drawn sample and a few words for each shape and sign in it."""

from __future__ import annotations

import html
from collections.abc import Iterator, Mapping, Sequence

from gradtrace.graph.build import Graph
from gradtrace.graph.state import PASS_SIGNS
from gradtrace.graph.streams import signs_of_streams
from gradtrace.render.arrangement import grad_sign
from gradtrace.trace import Trace
from gradtrace.values import count

_RECTANGLE = '<rect class="box" x="2" y="2" width="26" height="12"/>'
_ROUNDED = '<rect class="box" x="2" y="2" width="26" height="12" rx="5"/>'
_THICK_AND_THIN = "M2 6l7-6 7 6h-2v10H4V6zM18 6l5-6 5 6h-4v10h-2V6z"
_DRAWN = {
    "leaf": f'<g class="leaf">{_RECTANGLE}</g>',
    "node": _ROUNDED,
    "constant": f'<g class="constant">{_RECTANGLE}</g>',
    "module": '<path class="box" d="M6 2h18l4 4v4l-4 4H6l-4-4V6z"/>',
    "failed": f'<g class="failed">{_ROUNDED}</g>',
    "forward": '<path class="line" d="M8 0v9"/><path class="arrow" d="M4 8h8l-4 8z"/>',
    "cut": '<path class="line cut" d="M8 0v16"/><path class="stop" d="m3 3 10 10m0-10-10 10"/>',
    "running": f'<g class="running">{_ROUNDED}</g>',
    "hook": '<path class="hook" d="M4 3h10v6a4 4 0 0 1-8 0V7L3.5 9.5"/>',
}
"""The shapes, each in the style that it has in a picture. The phrase `drawn_leaf` says what the
first looks like and what it is, with a bar between."""


def draw_legend(
    trace: Trace, graph: Graph, texts: Mapping[str, Sequence[str]], phrases: Mapping[str, str]
) -> str:
    """The HTML of a legend that explains what occurs in this picture, and no more. `texts`: all
    that each slot shows, in order."""
    shapes = _shapes(graph, signs_of_streams(texts), _has_tensors(trace), phrases)
    last = {slot: shown[-1] for slot, shown in texts.items()}
    items = "".join(
        f'<span role="listitem">{sample} {words}</span>'
        for sample, words in (*shapes, *_signs(graph, last, phrases))
    )
    return f'<span class="legend" role="list">{items}</span>'


def _shapes(
    graph: Graph, signs: Sequence[str], has_tensors: bool, phrases: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    kinds = {box.kind for box in graph.boxes.values()}
    shown = [kind for kind in ("leaf", "node", "constant", "module", "failed") if kind in kinds]
    shown += ["running"] + ["forward"] * bool(graph.edges)
    for shape in shown:
        yield _drawn(_DRAWN[shape], phrases[f"drawn_{shape}"])
    if signs:
        sample = f'<path class="{signs[0]}" style="fill:var(--sign)" d="{_THICK_AND_THIN}"/>'
        yield _drawn(sample, phrases["drawn_back_norm" if has_tensors else "drawn_back"])
    for sign in signs if signs != ["plus"] else ():
        sample = f'<path class="stream {sign}" stroke-width="10" d="M8-5v19"/>'
        yield _drawn(sample, phrases[f"drawn_{sign}"])
    if any(edge.kind == "cut" for edge in graph.edges):
        yield _drawn(_DRAWN["cut"], phrases["drawn_cut"])


def _signs(
    graph: Graph, last: Mapping[str, str], phrases: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    if any(slot.endswith("h") for slot in last):
        yield _drawn(_DRAWN["hook"], phrases["drawn_hook"])
    signs = {grad_sign(box).strip() for key, box in graph.boxes.items() if f"{key}g" in last}
    for sign, phrase in (("∇", "sign_grad"), (".grad", "sign_leaf_grad")):
        if sign in signs:
            yield _written(sign), phrases[phrase]
    if any(slot[:1] == "e" and slot[1:].isdigit() for slot in last):
        yield _written("│ n"), phrases["sign_summed"]
    factors = [text for slot, text in last.items() if slot[0] == "e" and slot.endswith("d")]
    if factors:
        yield _written("×"), phrases["sign_local"]
    if any("@" in text for text in factors):
        yield _written("@"), phrases["sign_local_matrix"]
    passes = sorted({sign for text in last.values() for sign in text if sign in PASS_SIGNS})
    if passes:
        yield _written(_range(passes)), phrases["sign_passes"]
    if any("→ " in text for text in last.values()):
        yield _written("→"), phrases["sign_history"]


def _drawn(sample: str, phrase: str) -> tuple[str, str]:
    name, words = phrase.split("|")
    width = 30 if 'class="box"' in sample or "fill:" in sample else 16
    attributes = f'viewBox="0 0 {width} 16" role="img" aria-label="{html.escape(name)}"'
    return f"<svg {attributes}>{sample}</svg>", words


def _has_tensors(trace: Trace) -> bool:
    """Whether a gradient of several elements went on."""
    sent = (value for event in trace.events for value in event.get("gout", ()))
    return any(value and count(value) > 1 for value in sent)


def _written(sign: str) -> str:
    return f"<b>{sign}</b>"


def _range(signs: list[str]) -> str:
    """The signs of backward passes; of three or more in a row, the first and the last."""
    in_a_row = PASS_SIGNS.index(signs[-1]) - PASS_SIGNS.index(signs[0]) == len(signs) - 1
    return f"{signs[0]}–{signs[-1]}" if len(signs) > 2 and in_a_row else " ".join(signs)
