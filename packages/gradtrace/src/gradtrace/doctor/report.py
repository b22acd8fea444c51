"""The report of a doctor: as text for a terminal, or as JSON."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from statistics import median
from unicodedata import east_asian_width

from gradtrace.doctor.finding import KINDS, LEVELS, Finding, Place
from gradtrace.doctor.numbers import is_finite
from gradtrace.doctor.run import Run
from gradtrace.doctor.updates import ENOUGH_STEPS, uses_new_gradients
from gradtrace.drawing.page import Diagnosis
from gradtrace.graph.parameters import WITH_GRADIENT
from gradtrace.values import norm
from gradtrace.words import REPORT_WORDS

_WORD = re.compile(r"\s+|`[^`\s]*`|[^\s\u2e80-\uffef`]+|.")
"""Spaces, short code, words without spaces or Chinese characters, and any other character."""
_CLOSING = "，。；：、）！？」』,.;:)!?"
_OPENING = "（「『"


def width(text: str) -> int:
    """The width of a text in columns."""
    return sum(2 if east_asian_width(char) in "WF" else 1 for char in text)


def padded(text: str, columns: int) -> str:
    """A text padded with spaces to a width."""
    return text + " " * (columns - width(text))


def wrapped(text: str, columns: int) -> list[str]:
    """Lines of at most this many columns, broken at spaces and between Chinese characters, never
    before a closing sign or after an opening one. A longer word has its own line."""
    lines, line = [], ""
    for word in _words(text):
        if width((line + word).rstrip()) > columns and line.strip():
            lines.append(line.rstrip())
            line = ""
        line = line + word if line or word.strip() else ""
    return [*lines, line.rstrip()] if line.strip() else lines


def _words(text: str) -> list[str]:
    """The unbreakable pieces, each with its opening and closing signs."""
    found: list[str] = []
    for word in _WORD.findall(text):
        opened = bool(found) and found[-1] in _OPENING
        if opened or (found and word in _CLOSING and found[-1].strip()):
            found[-1] += word
        else:
            found.append(word)
    return found


MAX_LAYERS = 8
"""The number of rows shown; of more, the first and the last."""


@dataclass(frozen=True)
class Layer:
    """A weight: the median norm of its gradient, the median of how far a step moved it, relative to
    its norm, and the norm of its gradient after each pass that reached it."""

    name: str
    gradient: float
    update: float | None
    gradients: tuple[float, ...]


@dataclass(frozen=True)
class Summary:
    """Numbers of a run. `whole`: how many passes were not recorded in outline only. `parameters`
    counts the nn.Parameters that got a gradient, are frozen, or are held by an optimizer, and all
    leaves where there are none and no optimizer; `moved`: how many of the optimized ones changed in
    some step; `new_gradients`: whether no step reused the gradients of the step before; `finite`:
    whether no loss, gradient or parameter contained nan or inf."""

    passes: int
    whole: int
    steps: int
    parameters: int
    with_gradient: int
    frozen: int
    held: int
    moved: int
    new_gradients: bool
    finite: bool
    layers: tuple[Layer, ...]


def summarize(run: Run) -> Summary:
    """The numbers of a run."""
    known = [each for each in run.outcomes if run.trace.tensors[each.tensor].get("param")]
    known = known or [each for each in run.outcomes if each.outcome != "no_pass"]
    if run.optimizes:  # some of the others were replaced, as when weights are tied
        known = [
            each
            for each in known
            if each.outcome in (*WITH_GRADIENT, "frozen") or run.is_held(each.tensor)
        ]
    rows = [row for step in run.steps for row in step.rows]
    held = {row["t"] for row in rows} | {p.tensor for p in known if run.is_held(p.tensor)}
    return Summary(
        passes=len(run.passes),
        whole=sum(each.whole for each in run.passes),
        steps=len(run.steps),
        parameters=len(known),
        with_gradient=sum(each.outcome in WITH_GRADIENT for each in known),
        frozen=sum(each.outcome == "frozen" for each in known),
        held=len(held),
        moved=len({r["t"] for r in rows if r.get("moved") or r["before"] != r["after"]}),
        new_gradients=uses_new_gradients(run),
        finite=is_finite(run),
        layers=tuple(_layer_sizes(run)),
    )


def _layer_sizes(run: Run) -> Iterable[Layer]:
    """Weights of two dimensions or more, in the order in which the script made them."""
    updates: dict[str, list[float]] = {}
    for step in run.steps:
        for row in step.rows:
            if "moved" in row:
                updates.setdefault(row["t"], []).append(row["moved"])
    weights = [
        t
        for t, tensor in run.trace.tensors.items()
        if t in run.gradients and tensor.get("param") and len(tensor["shape"]) > 1
    ]
    for t, name in zip(weights, run.names(weights), strict=True):
        sizes = [norm(event["after"]) for _, event in run.gradients[t]]
        sizes = [size for size in sizes if size is not None and math.isfinite(size)]
        if sizes:
            update = median(updates[t]) if t in updates else None
            yield Layer(name, median(sizes), update, tuple(sizes))


def page_diagnosis(run: Run, findings: Sequence[Finding], language: str) -> Diagnosis:
    """The findings, and the layers, for the page of the recording."""
    words = REPORT_WORDS[language]
    told = [
        (
            *(each.level, _place(words, each.place), each.place.line, each.place.file),
            *(each.kind, _sentences(words, language, each)),
        )
        for each in findings
    ]
    layers = [(each.name, each.gradients, each.gradient, each.update) for each in _layer_sizes(run)]
    heads = words["layers"], words["passes_of_layer"], words["gradient"], words["update"]
    counts = _counts(words, findings) or words["nothing"]
    return Diagnosis(words["doctor"].format(counts=counts), told, heads, layers)


COLUMNS = 80
_MAX_NAMES = 3


def report(
    run: Run,
    findings: Sequence[Finding],
    language: str = "en",
    script: str = "script",
    book: str = "",
) -> str:
    """The findings, the most severe first, and what is fine. `book`: the address of the book, to
    which each finding links; without one, only the page is named."""
    words, summary = REPORT_WORDS[language], summarize(run)
    parts = [_head(words, summary, findings, script)]
    parts += [_finding(words, language, each, book) for each in findings]
    if fine := _fine(words, summary, findings):
        parts.append(fine)
    if summary.layers:
        parts.append(_layer_table(words, summary))
    return "\n\n".join(parts)


def report_json(
    run: Run,
    findings: Sequence[Finding],
    language: str = "en",
    script: str = "script",
    book: str = "",
) -> str:
    """The same for a program: one object, with the findings in order."""
    words = REPORT_WORDS[language]
    found = {
        "script": script,
        "torch": run.trace.torch,
        "counts": {level: sum(f.level == level for f in findings) for level in LEVELS},
        "findings": [
            {
                "kind": finding.kind,
                "level": finding.level,
                "file": finding.place.file or script,
                "line": finding.place.line,
                "found": _sentences(words, language, finding),
                "fix": _fix(finding, language),
                "page": page_address(finding.page, language, book),
                **({"ranks": finding.ranks} if finding.ranks else {}),
                "facts": finding.facts,
            }
            for finding in findings
        ],
        **asdict(summarize(run)),
    }
    return json.dumps(found, ensure_ascii=False, indent=1, default=asdict)


def page_address(page: str, language: str, book: str) -> str:
    """The address of a page in a language; only its path if the book's address isn't known."""
    path, mark, section = page.partition("#")
    if not book:
        return page
    folder = "" if language == "zh" else f"{language}/"
    return f"{book.rstrip('/')}/{folder}{path.removesuffix('index')}".rstrip("/") + (
        f"/{mark}{section}"
    )


def _head(words: dict, summary: Summary, findings: Sequence[Finding], script: str) -> str:
    passes = _counted(words["passes"], summary.passes)
    key = "looked" if summary.whole == summary.passes else "looked_outline"
    steps = _counted(words["steps"], summary.steps)
    looked = words[key].format(passes=passes, steps=steps, whole=summary.whole)
    nothing = "nothing" if max(summary.passes, summary.steps) >= ENOUGH_STEPS else "too_few"
    counts = _counts(words, findings) or words[nothing]
    return words["summary"].format(script=script, counts=counts, looked=looked)


def _counts(words: dict, findings: Sequence[Finding]) -> str:
    numbers = Counter(finding.level for finding in findings)
    counts = [_counted(words[f"{level}s"], numbers[level]) for level in LEVELS if numbers[level]]
    return words["between"].join(counts)


def _finding(words: dict, language: str, finding: Finding, book: str) -> str:
    place = _place(words, finding.place)
    ranks = f"  ({rank_names(words, finding.ranks)})" if finding.ranks else ""
    rows = [f"{padded(words[finding.level], 9)}{padded(place, 9)}  {finding.kind}{ranks}"]
    rows += [f"  {row}" for row in wrapped(_sentences(words, language, finding), COLUMNS - 2)]
    address = page_address(finding.page, language, book)
    for label, text in (
        (words["fix"], _fix(finding, language)),
        (words["book"], address),
    ):
        lines = wrapped(text, COLUMNS - 8)
        rows += [f"  {padded(label if not i else '', 6)}{line}" for i, line in enumerate(lines)]
    return "\n".join(rows)


def rank_names(words: dict, ranks: Sequence[int]) -> str:
    """The ranks in words: "rank 1", "ranks 0-7", "ranks 0, 2"."""
    named = ", ".join(map(str, ranks))
    if len(ranks) > 2 and ranks[-1] - ranks[0] == len(ranks) - 1:
        named = f"{ranks[0]}-{ranks[-1]}"
    return (words["rank"] if len(ranks) == 1 else words["ranks"]).format(ranks=named)


def _fix(finding: Finding, language: str) -> str:
    return KINDS[finding.kind].get("fix", {}).get(language, "")


def _sentences(words: dict, language: str, finding: Finding) -> str:
    """The sentences of a finding, without those for which a fact is missing."""
    facts = {name: _fact(words, fact) for name, fact in finding.facts.items()}
    found = []
    for sentence in KINDS[finding.kind]["found"][language]:
        try:
            text = sentence.format(**facts)
        except KeyError:
            continue
        found.append(text[:1].upper() + text[1:])
    return words["stop"].join(found)


class _Count(int):
    """A number of things: `{passes:pass|passes}` gives "1 pass", "2 passes"."""

    def __format__(self, things: str) -> str:
        return f"{int(self)} {_counted(things, self)}" if things else str(int(self))


def _fact(words: dict, fact: object) -> object:
    if isinstance(fact, Place):
        return _place(words, fact)
    if isinstance(fact, int):
        return _Count(fact)
    if isinstance(fact, float):
        return f"{fact:.3g}"
    if isinstance(fact, list):
        return names_in_words(words, fact)
    return str(fact)


def names_in_words(words: dict, names: Sequence[str]) -> str:
    """The first names as code, and how many more there are."""
    shown = words["comma"].join(f"`{name}`" for name in names[:_MAX_NAMES])
    more = {"names": shown, "n": len(names) - _MAX_NAMES, "total": len(names)}
    return words["more"].format(**more) if len(names) > _MAX_NAMES else shown


def _place(words: dict, place: Place) -> str:
    if place.line is None:
        return words["nowhere"]
    return words["line_of" if place.file else "line"].format(line=place.line, file=place.file)


def _fine(words: dict, summary: Summary, findings: Sequence[Finding]) -> str:
    """The checks that passed, or passed in part."""
    kinds = {finding.kind for finding in findings}
    total, got, frozen = summary.parameters, summary.with_gradient, summary.frozen
    rows = []
    if got and frozen:
        facts = {"n": frozen, "total": total, "got": got, "others": total - frozen}
        rows.append((got == total - frozen, words["frozen"].format(**facts)))
    elif got:
        rows.append((got == total, words["got"].format(n=got, total=total)))
    if summary.passes and summary.finite:
        rows.append((True, words["finite"]))
    if moved := summary.moved:
        facts = {"n": moved, "total": summary.held}
        rows.append((moved == summary.held, words["moved"].format(**facts)))
    if summary.new_gradients and not kinds & {"empty-step", "stepped-twice"}:
        rows.append((True, words["cleared"]))
    return "\n".join(f"{padded(words['fine'] if ok else '', 9)}{row}" for ok, row in rows)


def _layer_table(words: dict, summary: Summary) -> str:
    """A table of each weight: its gradient and how far a step moves it."""
    rows = [
        (layer.name, f"{layer.gradient:.2e}", "" if layer.update is None else f"{layer.update:.1e}")
        for layer in summary.layers
    ]
    if len(rows) > MAX_LAYERS:
        half = MAX_LAYERS // 2
        rows = [*rows[:half], ("…", "", ""), *rows[-half:]]
    heads = words["layers"], words["gradient"], words["update"]
    first = min(max(width(row[0]) for row in (*rows, heads)), COLUMNS - 24)
    lines = [
        f"{padded(row[0], first)}  {' ' * (9 - width(row[1]))}{row[1]}"
        f"  {' ' * (8 - width(row[2]))}{row[2]}".rstrip()
        for row in (heads, *rows)
    ]
    return "\n".join([*lines, *wrapped(words["columns"], COLUMNS)])


def _counted(texts: str, n: int) -> str:
    """The singular or the plural text, by a number."""
    one, _, many = texts.partition("|")
    return (one if n == 1 or not many else many).format(n=n)
