"""One HTML file with the whole recording: code, pictures, player, style; it fetches nothing.

What the player reads is packed: JSON, compressed, in base64. Without JavaScript there is the code,
the first picture and a list of steps.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import math
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

from gradtrace.drawing.figure import describe, format_sentence, number_controls, read_asset
from gradtrace.drawing.player_data import (
    FoldedFigure,
    VariedRun,
    VariedRuns,
    alike,
    around,
    columns_of_runs,
    data_of_runs,
    fold_parts,
    last_printed,
    said_of_runs,
    with_first_steps_as_one,
)
from gradtrace.graph.passes import excerpts, first_shown
from gradtrace.trace import Trace
from gradtrace.words import LANGUAGES

GENERATOR = "gradtrace"
"""Marks a file as written by gradtrace, which may overwrite it."""
MAX_SIZE = 400_000
"""The maximum size of a page in bytes. Further parts of a recording are left out; if a single one
is too large, its first steps are merged. Code and pictures are always complete."""
MAX_VARIED_SIZE = 2_000_000
"""The maximum size in bytes of a page with several runs, in which a reader changes numbers."""
HEAD_SIZE = 5_000
"""Bytes of the rest: the head, titles, labels."""
MAX_LISTED = 20_000
"""The maximum number of characters of the list of steps shown without JavaScript."""
MAX_CODE = 60_000
"""The maximum number of characters of a script shown without JavaScript."""


class TooLarge(ValueError):
    """Several runs don't fit on one page: its `size` in bytes."""

    def __init__(self, size: int) -> None:
        super().__init__(f"the page would have {size} bytes")
        self.size = size


@dataclass(frozen=True)
class Diagnosis:
    """What the doctor says of a recording, in the language of the page. `findings`: of each its
    level, its place in words, as a line and as a file, its name and its sentences; `layers`: of
    each weight its name, the norm of its gradient after each pass, their median, and how far a step
    moves it, relative to its norm; `heads`: the titles of these columns."""

    summary: str
    findings: Sequence[tuple[str, str, int | None, str, str, str]]
    heads: Sequence[str]
    layers: Sequence[tuple[str, Sequence[float], float, float | None]]


_POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src {scripts}; img-src data:"


def standalone_page(
    name: str,
    trace: Trace,
    language: str,
    notes: Iterable[str] = (),
    passes: tuple[int, int] | None = None,
    module: str = "",
    varied: VariedRuns | None = None,
    diagnosis: Diagnosis | None = None,
) -> str:
    """The text of the file. `name`: the title of the script; `notes`: sentences on what was not
    recorded, and how the run ended; `passes`: the first and the last of the backward passes at
    which it opens, if requested; `module`: the path of the open module; `varied`: the runs with
    other numbers, including this one; `diagnosis`: what the doctor says. Raises `TooLarge` where
    the runs don't fit."""
    phrases = LANGUAGES[language]
    parts = excerpts(trace, passes)
    first = first_shown(parts, passes)
    figures = fold_parts(trace, parts, language, module)
    notes = list(notes)
    runs = varied or VariedRuns((), [VariedRun(trace.stdout, trace, notes)])
    columns = columns_of_runs(runs, figures, first, passes, module)
    style = "\n".join(map(read_asset, ("trace.css", "page.css")))
    code, more_code = _code(_sources(name, trace, runs), phrases["source"])
    script_texts = [read_asset("trace.js"), f"{{\n{read_asset('page.js')}}}\n"]
    controls, printed, said = "", "", ""
    if varied:
        script_texts.insert(1, read_asset("trace-vary.js"))
        controls = number_controls(varied.numbers, language)
        label = phrases["vary"].partition("|")[0]
        controls = f'<section aria-label="{label}"><template>{controls}</template></section>'
        # Omitted while no run prints anything.
        hidden = "" if any(run.printed.strip() for run in varied.runs) else " hidden"
        shown = html.escape(last_printed(varied.runs[varied.own].printed), quote=False)
        label = phrases["printed"]
        place = f'tabindex="0" role="group" aria-label="{label}"'
        printed = f"<b>{label}</b><pre {place}><code>{shown}</code></pre>"
        printed = f'<div class="output"{hidden}>{printed}</div>'
        said = _said(varied, columns)
    scripts = "".join(f"<script>{text}</script>" for text in script_texts)
    digests = (hashlib.sha256(text.encode()).digest() for text in script_texts)
    allowed = " ".join(f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests)
    policy = _POLICY.format(scripts=allowed)
    picture = _picture(figures[first], columns[first])
    doctor = _doctor(diagnosis, phrases) if diagnosis else ""
    fixed = (style, code, more_code, scripts, picture, controls, printed, said, doctor, *notes)
    most = MAX_VARIED_SIZE if varied else MAX_SIZE
    room = most - HEAD_SIZE - sum(len(text.encode()) for text in fixed)
    first_part, below, over = _fitted(columns[first], figures[first], room)
    if over > 0 and varied:
        raise TooLarge(most + over)
    if over > 0:
        size = {"size": (MAX_SIZE + over) // 1000, "usual": MAX_SIZE // 1000}
        notes.append(phrases["note_over"].format(**size, boxes=len(figures[first].graph.boxes)))
    packed = [
        first_part if index == first else _pack(data_of_runs(column, {}))
        for index, column in enumerate(columns)
    ]
    kept = _kept([len(one) for one in packed], first, room - len(below.encode()))
    if varied:
        said = _said(varied, [columns[index] for index in kept])
    left = [part for index, part in enumerate(parts) if index not in kept]
    if left:
        shown = {"count": sum(part.last - part.first + 1 for part in left), "other": left[0].first}
        notes.append(phrases["note_large"].format(**shown))
    items = "".join(f"<li>{format_sentence(note)}</li>" for note in notes)
    about = phrases["about_varied" if varied else "about"]
    own = f' data-run="{varied.own}"' if varied else ""
    labels = [next((each.label for each in column if each), "") for column in columns]
    sections = [
        "<!doctype html>",
        f'<html lang="{phrases["html_lang"]}"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f'<meta name="generator" content="{GENERATOR}">',
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
        '<meta name="color-scheme" content="light dark">',
        f'<link rel="icon" href="data:,"><title>{html.escape(name)}</title>',
        f'<style>\n{style}</style></head><body class="md-typeset">',
        f'<trace-page class="trace" data-tools="{phrases["tools"]}"{own}>',
        f'<div class="screen"><header><h1>{html.escape(name)}</h1>',
        f"<p>{format_sentence(about.format(file=name))}</p>",
        f'<ul class="notes">{items}</ul></header>' if items else "</header>",
        doctor,
        controls,
        f'<main><div class="highlight">{code}</div>{printed}',
        f'<figure><div class="graph" tabindex="0" role="group" aria-label="{phrases["box"]}">',
        picture,
        "</div></figure></main></div>",
        below,
        f"<footer>{format_sentence(phrases['made_by'])}</footer></trace-page>",
        *(_data("part", packed[i], labels[i], i == first) for i in kept),
        _data("code", more_code, "", False),
        said,
        scripts,
        "</body></html>",
    ]
    return "\n".join(sections) + "\n"


def _doctor(diagnosis: Diagnosis, phrases: Mapping[str, str]) -> str:
    """The findings, each with a button that leads to its line, and for each layer bars of how large
    its gradient is, from a millionth of the largest on, and how large the part of it is that a step
    moves, from a millionth on."""
    rows = []
    for level, place, line, file, name, text in diagnosis.findings:
        to = f' data-line="{line}" data-file="{html.escape(file)}"'
        button = f"<button{to}>{html.escape(place)}</button> " if line else ""
        rows.append(
            f'<li class="{level}">{button}<b>{html.escape(name)}</b> {format_sentence(text)}</li>'
        )
    largest = max((max(sizes) for _, sizes, *_ in diagnosis.layers), default=0.0)
    bars = []
    for name, sizes, size, update in diagnosis.layers:
        passes = "".join(f'<i style="height: {_share(each, largest):.0%}"></i>' for each in sizes)
        said = " → ".join(f"{each:.2e}" for each in sizes)
        cells = f'<td class="passes"><span role="img" aria-label="{said}" title="{said}">{passes}'
        cells += f"</span></td><td>{size:.1e}</td>"
        if update is not None:
            bar = f'<i style="width: {_share(update, 1):.0%}"></i>'
            cells += f'<td class="update">{bar}</td><td>{update:.1e}</td>'
        bars.append(f"<tr><th scope=row>{html.escape(name)}</th>{cells}</tr>")
    spans = zip(diagnosis.heads, ("", "", "", " colspan=2"), strict=True)
    heads = "".join(f"<th scope=col{span}>{html.escape(head)}</th>" for head, span in spans)
    table = f"<table><caption>{phrases['layer_bars']}</caption><tr>{heads}</tr>{''.join(bars)}"
    table += "</table>"
    found = f"<ul>{''.join(rows)}</ul>" if rows else ""
    told = any(level != "note" for level, *_ in diagnosis.findings)
    return (
        f'<section class="doctor"><button class="fold" aria-expanded="{str(told).lower()}">'
        f"{html.escape(diagnosis.summary)}</button>"
        f"<div>{found}{table if bars else ''}</div></section>"
    )


def _share(size: float, largest: float) -> float:
    """How long a bar is: from a millionth of the largest on, each factor adds the same."""
    return min(1.0, max(0.0, 1 + math.log10(size / largest) / 6)) if size else 0.0


def _fitted(
    column: Sequence[FoldedFigure | None], figure: FoldedFigure, room: int
) -> tuple[str, str, int]:
    """A part of all runs, packed, and the text below it; and by how many bytes it is too large. For
    a single run, first steps are merged until it fits."""
    drawn: dict[tuple, list[str]] = {}
    shown, eighths = figure, 0
    while True:
        packed, below = _pack(data_of_runs(column, drawn)), _below(shown)
        over = len(packed) + len(below.encode()) - room
        if over <= 0 or eighths == 8 or len(column) > 1:
            return packed, below, over
        eighths += 1
        shown = with_first_steps_as_one(figure, -(-len(figure.steps) * eighths // 8))
        column = [shown]


def is_standalone_page(file: Path) -> bool:
    """Whether a file was written by gradtrace."""
    with file.open(encoding="utf-8", errors="replace") as text:
        return f'<meta name="generator" content="{GENERATOR}">' in text.read(2000)


def _said(varied: VariedRuns, columns: Sequence[Sequence[FoldedFigure | None]]) -> str:
    """The messages on each run, packed."""
    return _data("runs", _pack(said_of_runs(varied, columns)), "", False)


def _sources(name: str, trace: Trace, runs: VariedRuns) -> dict[str, str]:
    """The script and the other files that any run has reached."""
    others = [run.trace.sources for run in runs.runs if run.trace]
    found = {file: text for sources in others for file, text in sources.items()}
    return {name: trace.source, **found, **trace.sources}


def _picture(figure: FoldedFigure, others: Iterable[FoldedFigure | None]) -> str:
    last = {slot: shown[-1] for slot, shown in figure.texts.items()}
    view = figure.view(figure.first_view)
    description = describe(view, list(figure.steps), last, LANGUAGES[figure.language])
    roomy = figure.with_room_for(alike(figure, others))
    return roomy.picture(figure.first_view, description)


def _below(figure: FoldedFigure) -> str:
    """The caption and the list of steps, cut to the room available."""
    phrases, said = LANGUAGES[figure.language], around(figure)
    items, size = [], 0
    for step in figure.steps:
        items.append(f"<li>{format_sentence(step.sentence)}</li>")
        size += len(items[-1])
        if size > MAX_LISTED:
            break
    rest = len(figure.steps) - len(items)
    more = f"<p>{phrases['more_steps'].format(count=rest)}</p>" if rest else ""
    return (
        '<section class="below" aria-labelledby="all-steps">'
        f'<p class="caption">{said["caption"]}</p>'
        f'<details open><summary id="all-steps">{said["summary"]}</summary>'
        f"<ol>{''.join(items)}</ol>{more}</details></section>"
    )


def _kept(sizes: Sequence[int], first: int, room: int) -> list[int]:
    """The indices of the parts that fit: the first one shown, and those nearest to it."""
    kept, used = [], 0
    for index in sorted(range(len(sizes)), key=lambda index: (abs(index - first), index)):
        used += sizes[index]
        if kept and used > room:
            break
        kept.append(index)
    return sorted(kept)


def _data(kind: str, packed: str, label: str, chosen: bool) -> str:
    mark = " data-first" if chosen else ""
    return (
        f'<script type="text/plain" class="{kind}" data-label="{html.escape(label)}"{mark}>'
        f"{packed}</script>"
    )


def _pack(data: object) -> str:
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return base64.b64encode(zlib.compress(text.encode(), 9)).decode()


def _code(sources: dict[str, str], label: str) -> tuple[str, str]:
    """The files with their colors: the script, and the others, which are packed."""
    files = {name: _colored(source) for name, source in sources.items()}
    script = next(iter(files))
    shown = _pre(script, files[script], label) if len(files[script]) < MAX_CODE else ""
    rest = [_pre(name, text, label) for name, text in files.items() if not shown or name != script]
    return shown, _pack("".join(rest))


def _colored(source: str) -> str:
    """The text of a file with its colors, each line an element, and the numbers of the lines."""
    lexer, formatter = PythonLexer(stripnl=False, ensurenl=False), HtmlFormatter(nowrap=True)
    source = source.rstrip("\n")
    lines = highlight(source, lexer, formatter).rstrip("\n").split("\n")
    code = "".join(f'<span class="code-line">{line}\n</span>' for line in lines)
    numbers = "\n".join(str(n + 1) for n in range(len(lines)))
    return f'<span class="numbers" aria-hidden="true">{numbers}</span><code>{code}</code>'


def _pre(name: str, colored: str, label: str) -> str:
    place = f'data-file="{html.escape(name)}" tabindex="0" role="group" aria-label="{label}"'
    return f"<pre {place}>{colored}</pre>"
