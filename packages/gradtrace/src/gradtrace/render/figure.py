"""The figure of a trace: the finished graph, a caption, and every step in a list.

Without a script it is a picture with a list below it; `trace.js` makes a player of it.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable, Collection, Iterator

from gradtrace.graph.nodes import Graph, read_graph, select, without
from gradtrace.graph.state import SIGNS
from gradtrace.model import Trace
from gradtrace.narrate.phrases import WORDS
from gradtrace.narrate.steps import Step, read_steps, states
from gradtrace.render.svg import draw


def fragment(
    trace: Trace,
    identity: str,
    language: str,
    passes: tuple[int, int] | None = None,
    hidden: Collection[str] = (),
) -> str:
    """The HTML of a trace's figure. `passes`: the first and last backward pass to show; `hidden`:
    cards that are not drawn, and whose steps are not told."""
    trace = select(trace, *passes) if passes else trace
    words = WORDS[language]
    graph = without(read_graph(trace), hidden)
    steps = read_steps(trace, graph, language)
    shown = list(states(steps))
    picture = draw(graph, shown, identity, language, _description(graph, steps, shown, words))
    count = len(steps)
    buttons = html.escape(words["buttons"].format(count=count))
    return "".join(
        [
            f'<figure class="trace" id="{identity}" data-search-exclude>',
            f'<trace-player data-words="{buttons}">',
            f'<div class="graph" tabindex="0" role="group" aria-label="{words["box"]}">',
            f"{picture}</div>",
            f"<figcaption>{_caption(trace, graph, steps, shown, words)}</figcaption>",
            f"<details open><summary>{words['all_steps'].format(count=count)}</summary><ol>",
            *(_item(step, f"{identity}-step-{n}") for n, step in enumerate(steps, 1)),
            "</ol></details></trace-player></figure>",
        ]
    )


def _item(step: Step, identity: str) -> str:
    line = f' data-l="{step.line}"' if step.line else ""
    touches = f' data-t="{" ".join(step.touches)}"' if step.touches else ""
    up = " data-up" if step.kind == "node" else ""
    changes = ""
    if step.changes:
        told = json.dumps(step.changes, ensure_ascii=False, separators=(",", ":"))
        changes = f" data-s='{html.escape(told, quote=False).replace(chr(39), '&#39;')}'"
    return f'<li id="{identity}"{line}{touches}{up}{changes}>{marked(step.sentence)}</li>'


def marked(sentence: str) -> str:
    """The HTML of a sentence; what stands between backticks is code."""
    return re.sub("`([^`]+)`", r"<code>\1</code>", html.escape(sentence, quote=False))


def _description(graph: Graph, steps: list[Step], shown: list[dict], words: dict) -> str:
    """What came out of it, for those who don't see the picture."""
    last = shown[-1] if shown else {}
    leaves = [
        words["svg_leaf"].format(name=card.title, grad=" ".join(last[f"{key}g"].split()))
        for key, card in graph.cards.items()
        if card.kind == "leaf" and f"{key}g" in last
    ]
    errors = [step.sentence.replace("`", "") for step in steps if step.kind == "error"]
    return " ".join(leaves + errors)


def _caption(trace: Trace, graph: Graph, steps: list[Step], shown: list[dict], words: dict) -> str:
    passes = sorted({sign for text in shown[-1].values() for sign in text if sign in SIGNS})
    told = words["between"].join(
        words[key].format(passes=_listed(passes, words)) for key in _signs(graph, shown)
    )
    version = trace.torch.split("+")[0]
    stopped = words["left_out"].format(line=trace.left_out["line"]) if trace.left_out else ""
    return words["recorded"].format(version=version, signs=told) + stopped


def _listed(passes: list[str], words: dict) -> str:
    """The signs of backward passes; of three or more in a row, the first and the last."""
    if len(passes) < 3:
        return words["and_last"].join(passes)
    if SIGNS.index(passes[-1]) - SIGNS.index(passes[0]) == len(passes) - 1:
        return words["range"].format(first=passes[0], last=passes[-1])
    return words["and_last"].join([words["and"].join(passes[:-1]), passes[-1]])


def _signs(graph: Graph, shown: list[dict]) -> Iterator[str]:
    """The signs in the picture that its caption explains."""
    last = shown[-1] if shown else {}
    for kind in ("leaf", "constant", "module"):
        if any(card.kind == kind for card in graph.cards.values()):
            yield f"shape_{kind}"
    if any(edge.kind == "cut" for edge in graph.edges):
        yield "shape_cut"
    if any(slot.endswith("h") for slot in last):
        yield "shape_hook"
    if any(slot.endswith("g") for slot in last):
        yield "sign_grad"
    if any(card.node == "AccumulateGrad" for card in graph.cards.values()):
        yield "sign_adds"
    numbered = any(text.startswith(tuple(SIGNS)) for text in last.values())
    if any(slot.startswith("e") for slot in last):
        yield "sign_meets_n" if numbered else "sign_meets"
    if numbered:
        yield "sign_passes"
    if any(" → " in text for text in last.values()):
        yield "sign_history"


def with_player(content: str, address: Callable[[str], str]) -> str:
    """The HTML of a page, with the style and the script of figures if it has one.

    `address` gives the address of a file of the book's assets. Both stand within the page's
    content: Material's instant navigation puts that in place of the old, and runs its scripts.
    """
    if '<figure class="trace"' not in content:
        return content
    style, script = address("trace.css"), address("trace.js")
    return f'<link rel="stylesheet" href="{style}">{content}<script src="{script}"></script>'
