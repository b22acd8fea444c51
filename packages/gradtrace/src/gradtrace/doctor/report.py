"""The report of a doctor: as text for a terminal, or as JSON."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from types import ModuleType

from gradtrace.doctor.finding import Finding, Place
from gradtrace.doctor.languages import LANGUAGES
from gradtrace.doctor.summary import MAX_LAYERS, Summary, summarize
from gradtrace.doctor.text_columns import padded, width, wrapped
from gradtrace.trace import Trace

COLUMNS = 80
_LEVELS = ("error", "warning", "note")
_MAX_NAMES = 3


def report(
    trace: Trace,
    findings: Sequence[Finding],
    language: str = "en",
    script: str = "script",
    book: str = "",
) -> str:
    """What was found, the gravest first, and what is fine. `book`: the address of the book, to
    which each finding links; without one, its page alone is named."""
    words, summary = LANGUAGES[language].WORDS, summarize(trace)
    parts = [_head(words, summary, findings, script)]
    parts += [_finding(LANGUAGES[language], language, each, book) for each in findings]
    if fine := _fine(words, summary, findings):
        parts.append(fine)
    if summary.layers:
        parts.append(_layers(words, summary))
    return "\n\n".join(parts)


def report_json(
    trace: Trace,
    findings: Sequence[Finding],
    language: str = "en",
    script: str = "script",
    book: str = "",
) -> str:
    """The same for a program: one object, with the findings in order."""
    sentences = LANGUAGES[language]
    found = {
        "script": script,
        "torch": trace.torch,
        "counts": {level: sum(f.level == level for f in findings) for level in _LEVELS},
        "findings": [
            {
                "kind": finding.kind,
                "level": finding.level,
                "file": finding.place.file or script,
                "line": finding.place.line,
                "found": _sentences(sentences, finding),
                "mend": sentences.MEND[finding.kind],
                "page": page_address(finding.page, language, book),
                "facts": finding.facts,
            }
            for finding in findings
        ],
        **asdict(summarize(trace)),
    }
    return json.dumps(found, ensure_ascii=False, indent=1, default=asdict)


def page_address(page: str, language: str, book: str) -> str:
    """Where a page is read, in a language; its path alone where the book's address isn't known."""
    path, mark, section = page.partition("#")
    if not book:
        return page
    folder = "" if language == "zh" else f"{language}/"
    return f"{book.rstrip('/')}/{folder}{path.removesuffix('index')}".rstrip("/") + (
        f"/{mark}{section}"
    )


def _head(words: dict, summary: Summary, findings: Sequence[Finding], script: str) -> str:
    numbers = Counter(finding.level for finding in findings)
    counts = [_counted(words[f"{level}s"], numbers[level]) for level in _LEVELS if numbers[level]]
    passes = _counted(words["passes"], summary.passes)
    looked = words["looked"].format(passes=passes, steps=_counted(words["steps"], summary.steps))
    counted = words["between"].join(counts) or words["nothing"]
    return words["summary"].format(script=script, counts=counted, looked=looked)


def _finding(sentences: ModuleType, language: str, finding: Finding, book: str) -> str:
    words = sentences.WORDS
    place = _place(words, finding.place)
    rows = [f"{padded(words[finding.level], 9)}{padded(place, 9)}  {finding.kind}"]
    rows += [f"  {row}" for row in wrapped(_sentences(sentences, finding), COLUMNS - 2)]
    address = page_address(finding.page, language, book)
    for label, text in ((words["mend"], sentences.MEND[finding.kind]), (words["book"], address)):
        lines = wrapped(text, COLUMNS - 8)
        rows += [f"  {padded(label if not i else '', 6)}{line}" for i, line in enumerate(lines)]
    return "\n".join(rows)


def _sentences(sentences: ModuleType, finding: Finding) -> str:
    """What was found, without the sentences for which a fact is missing."""
    words = sentences.WORDS
    facts = {name: _fact(words, fact) for name, fact in finding.facts.items()}
    found = []
    for sentence in sentences.ADVICE[finding.kind]:
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
        names = words["comma"].join(f"`{name}`" for name in fact[:_MAX_NAMES])
        more = {"names": names, "n": len(fact) - _MAX_NAMES, "total": len(fact)}
        return words["more"].format(**more) if len(fact) > _MAX_NAMES else names
    return str(fact)


def _place(words: dict, place: Place) -> str:
    if place.line is None:
        return words["nowhere"]
    return words["line_of" if place.file else "line"].format(line=place.line, file=place.file)


def _fine(words: dict, summary: Summary, findings: Sequence[Finding]) -> str:
    """What is as it should be, or as far as it is."""
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


def _layers(words: dict, summary: Summary) -> str:
    """The gradient of each weight and how far a step moves it."""
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
    """One of two texts: for one thing, and for another number of them."""
    one, _, many = texts.partition("|")
    return (one if n == 1 or not many else many).format(n=n)
