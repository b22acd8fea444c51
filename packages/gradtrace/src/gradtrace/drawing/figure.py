"""The figure of a trace as HTML: the finished graph, a caption, and every step in a list.

Without JavaScript it is a picture with a list below it; `trace.js` makes a player of it. Class
names (`card` is a box), ids and `data-` attributes are what `trace.js` and `trace.css` read.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from gradtrace.drawing.svg import arrange, draw_svg, grad_sign
from gradtrace.graph.build import Graph, build_graph
from gradtrace.graph.flows import flow_signs, flow_widths, largest_flow
from gradtrace.graph.passes import numbered_from_one, select_passes
from gradtrace.story.effects import PASS_SIGNS
from gradtrace.story.steps import Step, list_steps, texts_of_slots
from gradtrace.trace import Trace
from gradtrace.values import count
from gradtrace.words import LANGUAGES

PLAYER_ASSETS = ("trace.js", "trace-vary.js", "trace.css")
"""The assets that a page with a figure needs; a stand-alone page embeds them."""


def asset_path(name: str) -> Path:
    """The path of a style or a script of figures."""
    return Path(__file__).parent / name


def read_asset(name: str) -> str:
    """The text of a style or a script without comment lines and without indentation."""
    text = asset_path(name).read_text(encoding="utf-8")
    comments = r"/\*.*?\*/" if name.endswith(".css") else r"(?m)^\s*//.*$"
    without = re.sub(comments, "", text, flags=re.DOTALL if name.endswith(".css") else 0)
    return re.sub(r"\n\s*", "\n", without).lstrip()


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
"""The shapes, each with its style in a picture. The phrase `drawn_leaf` describes the first shape
and its meaning, separated by a bar."""


def draw_legend(
    trace: Trace, graph: Graph, texts: Mapping[str, Sequence[str]], phrases: Mapping[str, str]
) -> str:
    """The HTML of a legend that explains only what occurs in this picture. `texts`: all texts that
    each slot shows, in order."""
    sent = (value for event in trace.events for value in event.get("gout", ()))
    has_tensors = any(value and count(value) > 1 for value in sent)
    shapes = _shapes(
        graph, flow_signs(texts), has_tensors, any(slot.endswith("h") for slot in texts), phrases
    )
    last = {slot: shown[-1] for slot, shown in texts.items()}
    signs = ((f"<b>{sign}</b>", phrases[key]) for sign, key in _signs(graph, last, phrases))
    items = "".join(
        f'<span role="listitem">{sample} {words}</span>' for sample, words in (*shapes, *signs)
    )
    return f'<span class="legend" role="list">{items}</span>'


def _shapes(
    graph: Graph,
    signs: Sequence[str],
    has_tensors: bool,
    has_hooks: bool,
    phrases: Mapping[str, str],
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
    if has_hooks:
        yield _drawn(_DRAWN["hook"], phrases["drawn_hook"])


def _signs(
    graph: Graph, last: Mapping[str, str], phrases: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    """The written signs, each with the key of its phrase."""
    shown = [box for key, box in graph.boxes.items() if f"{key}g" in last]
    signs = {grad_sign(box, phrases).strip() for box in shown}
    for sign, phrase in ((phrases["received"].strip(), "sign_grad"), (".grad", "sign_leaf_grad")):
        if sign in signs:
            yield sign, phrase
    if any(slot[:1] == "e" and slot[1:].isdigit() for slot in last):
        yield "│ n", "sign_summed"
    factors = [text for slot, text in last.items() if slot[0] == "e" and slot.endswith("d")]
    if factors:
        yield "×", "sign_local"
    if any("@" in text for text in factors):
        yield "@", "sign_local_matrix"
    passes = sorted({sign for text in last.values() for sign in text if sign in PASS_SIGNS})
    if passes:
        in_a_row = PASS_SIGNS.index(passes[-1]) - PASS_SIGNS.index(passes[0]) == len(passes) - 1
        is_range = len(passes) > 2 and in_a_row
        yield f"{passes[0]}–{passes[-1]}" if is_range else " ".join(passes), "sign_passes"
    if any("→ " in text for text in last.values()):
        yield "→", "sign_history"


def _drawn(sample: str, phrase: str) -> tuple[str, str]:
    name, words = phrase.split("|")
    width = 30 if 'class="box"' in sample or "fill:" in sample else 16
    attributes = f'viewBox="0 0 {width} 16" role="img" aria-label="{html.escape(name)}"'
    return f"<svg {attributes}>{sample}</svg>", words


WIDE = 620
"""Pixels. Next to a script a wider picture would be scaled down until its text is unreadable."""


@dataclass(frozen=True)
class FigureParts:
    """The parts of a figure, before its picture is drawn.

    `texts`: all texts that each slot shows, in order; `items`: the steps, as HTML; `words`: those
    of the player; `summary`: the title of the list of steps.
    """

    graph: Graph
    texts: Mapping[str, Sequence[str]]
    description: str
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

    The figure numbers its passes and its steps from 1. `largest`: the size of the gradient with the
    widest stream, if it isn't in this trace.
    """
    trace = numbered_from_one(select_passes(trace, *passes), passes[0]) if passes else trace
    phrases = LANGUAGES[language]
    graph = build_graph(trace)
    steps = with_flows(list_steps(trace, language, graph), trace, graph, largest)
    texts, count = texts_of_slots(steps), len(steps)
    last = {slot: shown[-1] for slot, shown in texts.items()}
    return FigureParts(
        graph,
        texts,
        describe(graph, steps, last, phrases),
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

    `passes`: the first and last backward pass to show; all by default. The player highlights the
    running line in the last `.highlight pre > code` before the figure, where each line of the code
    is an element of the class `code-line`.
    """
    return draw_varied_figure((), [VariedRun("", trace)], identity, language, passes).html


def format_sentence(sentence: str) -> str:
    """The HTML of a sentence; text between backticks is code."""
    return re.sub("`([^`]+)`", r"<code>\1</code>", html.escape(sentence, quote=False))


def _list_item(step: Step, identity: str) -> str:
    given = {"l": step.line, "e": step.last_line, "t": " ".join(step.touches)}
    data = "".join(f' data-{key}="{value}"' for key, value in given.items() if value)
    data += " data-up" if step.kind == "node" else ""
    data += f' data-p="{step.backward}"' if step.backward else ""
    if step.changes:
        text = json.dumps(step.changes, ensure_ascii=False, separators=(",", ":"))
        data += f" data-s='{html.escape(text, quote=False).replace(chr(39), '&#39;')}'"
    return f'<li id="{identity}"{data}>{format_sentence(step.sentence)}</li>'


def with_flows(
    steps: Sequence[Step], trace: Trace, graph: Graph, largest: float | None = None
) -> list[Step]:
    """The steps, each with the streams' widths then; `largest` as in `figure_parts`."""
    widths = flow_widths(trace, graph, largest)
    return [replace(step, changes={**step.changes, **widths.get(step.event, {})}) for step in steps]


def describe(
    graph: Graph, steps: list[Step], last: Mapping[str, str], phrases: Mapping[str, str]
) -> str:
    """A text alternative for the picture: every `.grad`, and the errors."""
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
    """The legend of a picture, and the PyTorch version of the recording. `texts`: all texts that
    each slot shows, in order."""
    version = trace.torch.split("+")[0]
    stopped = phrases["left_out"].format(line=trace.left_out["line"]) if trace.left_out else ""
    recorded = phrases["recorded"].format(version=version) + stopped
    return f"{draw_legend(trace, graph, texts, phrases)}<br/>{recorded}"


@dataclass(frozen=True)
class VariedNumber:
    """A number of the script that can be changed.

    `name` is its name in an address, `label` its name on the page: `v` and `v[0]` for an element.
    `line` counts from 1, `start` and `end` are characters of the line, from 0; `values` are written
    as in code, and `own` is the index of the script's own.
    """

    name: str
    label: str
    line: int
    start: int
    end: int
    values: Sequence[str]
    own: int


@dataclass(frozen=True)
class VariedRun:
    """The output of the script with some of the values, its trace, and a message on it. `trace`:
    None where nothing was recorded that can be drawn; then there is only the message (`said`), and
    the `line` at which the script ended."""

    printed: str
    trace: Trace | None
    said: Sequence[str] = ()
    line: int | None = None


@dataclass(frozen=True)
class VariedFigure:
    """The HTML of the figure, and the data of all runs, a JSON text."""

    html: str
    data: str


def draw_varied_figure(
    numbers: Sequence[VariedNumber],
    runs: Sequence[VariedRun],
    identity: str,
    language: str,
    passes: tuple[int, int] | None = None,
    source: str = "",
) -> VariedFigure:
    """The figure of a script with numbers to change. The `runs` are for all combinations of their
    values, the last number changing fastest; `source` is the address of the data.

    Runs with the same graph share one picture, in which each box has room for all its texts; the
    data has further pictures.
    """
    phrases, own = LANGUAGES[language], own_run(numbers)
    shown = (select_passes(run.trace, *passes) if passes else run.trace for run in runs)
    largest = max(map(largest_flow, shown))  # so that the width of a stream changes with a number
    parts = [figure_parts(run.trace, identity, language, passes, largest) for run in runs]
    pictures: dict[tuple, str] = {}
    for part in (parts[own], *parts):
        structure = part.graph.structure
        if structure not in pictures:
            alike = [each.texts for each in parts if each.graph.structure == structure]
            texts = texts_of_all(part.texts, alike)
            # The player fills in those that the page does not show first.
            empty = None if part is parts[own] else arrange(part.graph, texts, language)
            picture = draw_svg(
                *(part.graph, texts, identity, language, part.description, empty), turns=True
            )
            pictures[structure] = picture
    picture = pictures[parts[own].graph.structure]
    rows = []
    for run, part in zip(runs, parts, strict=True):
        other = pictures[part.graph.structure]
        texts = run.printed, part.description, part.summary, part.words, *part.items
        rows.append([None if other == picture else other, *texts])
    texts = texts_of_all(parts[own].texts, (part.texts for part in parts))
    legend = caption(runs[own].trace, parts[own].graph, texts, phrases)
    width = float(re.search('viewBox="0 0 ([0-9.]+)', picture)[1])
    kind = "trace wide" if width > WIDE else "trace"
    controls = number_controls(numbers, language, source) if numbers else ""
    figure = [
        f'<figure class="{kind}" id="{identity}" data-search-exclude>',
        f'<trace-player data-words="{html.escape(parts[own].words)}">',
        f'<div class="graph" tabindex="0" role="group" aria-label="{phrases["box"]}">{picture}',
        f"</div>{controls}<figcaption><details open><summary>{phrases['legend']}</summary>{legend}",
        "</details></figcaption><details open>",
        f"<summary>{parts[own].summary}</summary><ol>{''.join(parts[own].items)}</ol>",
        "</details></trace-player></figure>",
    ]
    data = json.dumps(table_of_texts(rows), ensure_ascii=False, separators=(",", ":"))
    return VariedFigure("".join(figure), data)


def table_of_texts(rows: Iterable[Sequence[str | None]]) -> dict:
    """The data of each run for the player: a row of texts, each stored once; -1 stands for none."""
    texts: dict[str, int] = {}
    runs = [[-1 if t is None else texts.setdefault(t, len(texts)) for t in row] for row in rows]
    return {"texts": list(texts), "runs": runs}


def texts_of_all(
    own: Mapping[str, Sequence[str]], others: Iterable[Mapping[str, Sequence[str]]]
) -> dict[str, list[str]]:
    """All texts that slots show in several runs; last the final ones of the script's own."""
    texts: dict[str, list[str]] = {}
    for each in (*others, own):
        for slot, shown in each.items():
            texts.setdefault(slot, []).extend(shown)
    for slot in texts.keys() - own.keys():
        texts[slot].append("")
    return texts


def own_run(numbers: Sequence[VariedNumber]) -> int:
    """The index of the run with the numbers of the script."""
    index = 0
    for number in numbers:
        index = index * len(number.values) + number.own
    return index


def number_controls(
    numbers: Sequence[VariedNumber], language: str, source: str = "", with_graph: bool = True
) -> str:
    """The HTML of the controls with which a reader changes numbers. `source`: the address of the
    data. `with_graph`: whether the controls say where another graph is shown."""
    given = html.escape(json.dumps([asdict(number) for number in numbers], ensure_ascii=False))
    words = LANGUAGES[language]["vary"].split("|")
    words = html.escape("|".join(words if with_graph else [*words[:3], "", *words[4:]]))
    return (
        f'<trace-vary data-numbers="{given}" data-words="{words}" data-src="{source}"></trace-vary>'
    )
