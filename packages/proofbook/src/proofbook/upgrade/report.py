"""What `proofbook upgrade` prints: the differences by their cause, and what to read again."""

from __future__ import annotations

from collections.abc import Sequence

from gradtrace import same_but_for_rounding

from proofbook.content.version_differences import read_reasons
from proofbook.model.book import Book
from proofbook.model.problem import Unproved
from proofbook.model.snippet import dtype_of_results, output_file
from proofbook.model.version_records import outputs_by_version, version_order
from proofbook.upgrade.differences import KINDS, OUTPUT, RECORDING, Difference
from proofbook.upgrade.drill import Drill
from proofbook.upgrade.reread import Paragraph, to_reread

LINES = 12
"""So many lines of one recording are shown; those of an output are all shown."""
WIDTH = 160
FEW = 6


def format_drill(book: Book, drill: Drill) -> str:
    """The report as one text."""
    changed = sorted({difference.script for difference in drill.found})
    counted = f"{len(drill.scripts)} snippets, {len(drill.recorded)} of them recorded"
    parts = [f"PyTorch {drill.old} and {drill.new} on this machine: {counted}."]
    if drill.here:
        parts.append(
            f"Here {drill.old} prints something else than is recorded: {_some(drill.here)}. "
            "Another machine or version recorded it; below, both versions are as they print here."
        )
    for number, group in enumerate(by_cause(drill.found), 1):
        parts.append(_group(book, drill, number, group))
    if drill.problems:
        parts += ["Could not be compared:", *map(str, drill.problems)]
    paragraphs = to_reread(book, drill.found)
    if paragraphs:
        parts.append(_reread(paragraphs))
    if not drill.found:
        parts.append("Nothing differs: every output and every recording holds.")
    else:
        parts.append(_what_to_do(drill, changed))
    return "\n\n".join(parts)


def _what_to_do(drill: Drill, changed: Sequence[str]) -> str:
    groups = len(by_cause(drill.found))
    differ = "1 snippet differs" if len(changed) == 1 else f"{len(changed)} snippets differ"
    steps = [f"install PyTorch {drill.new}, and say so in requirements.txt"]
    if drill.refused:
        steps.append(f"mend what raises or warns now: {' '.join(drill.refused)}")
    steps += [
        f"proofbook update {' '.join(changed)}",
        "read these paragraphs, mend what is no longer true, and confirm each page: "
        "proofbook reconcile PAGE",
    ]
    rows = [f"  {number}. {step}" for number, step in enumerate(steps, 1)]
    return "\n".join([f"{differ}, from {_times(groups, 'cause')}.", *rows])


def by_cause(found: Sequence[Difference]) -> list[list[Difference]]:
    """The differences, those of one kind and cause together, the gravest kind first."""
    groups: dict[tuple, list[Difference]] = {}
    for difference in found:
        groups.setdefault((difference.kind, difference.cause), []).append(difference)
    order = list(KINDS)
    return sorted(groups.values(), key=lambda group: (order.index(group[0].kind), -len(group)))


def _group(book: Book, drill: Drill, number: int, group: Sequence[Difference]) -> str:
    first = group[0]
    scripts = sorted({difference.script for difference in group})
    rows = [f"{number}. PyTorch {drill.new} {KINDS[first.kind]}: {_times(len(scripts), 'snippet')}"]
    if first.kind not in ("behaviour", "format", "message"):  # there the lines say it all
        rows += [f"   {old or '(nothing)'}  ->  {new or '(nothing)'}" for old, new in first.cause]
    if version := first_version(book, drill, first):
        rows.append(f"   since: {version}, of the versions that the book has recorded")
    rows += [f"   why: {why}" for why in _reasons(book, drill, scripts)]
    for difference in group:
        ending = ".trace" if difference.part == RECORDING else ".out"
        rows.append(f"   {difference.script.removesuffix('.py')}{ending}:{difference.line}")
        rows += _lines("-", difference.old, difference.part)
        rows += _lines("+", difference.new, difference.part)
    return "\n".join(rows)


def first_version(book: Book, drill: Drill, difference: Difference) -> str:
    """The first version, among those of which the book has records, that prints the new lines."""
    if difference.part != OUTPUT:
        return ""
    script = difference.script
    recorded = book.text_or_empty(output_file(script))
    dtype = dtype_of_results(book.text(script))
    for version, output in book.fact(outputs_by_version, script):
        if version_order(version) <= version_order(drill.old):
            continue
        lines = output.splitlines()
        holds = all(line in lines for line in difference.new)
        gone = difference.new or not any(line in lines for line in difference.old)
        if holds and gone and not same_but_for_rounding(recorded, output, dtype):
            return version
    return ""


def _reasons(book: Book, drill: Drill, scripts: Sequence[str]) -> list[str]:
    """The reasons that the book gives for a difference between the two versions."""
    try:
        reasons = read_reasons(book)
    except Unproved:
        return []  # `proofbook check` says why
    return [
        f"{reason.en} {reason.source}"
        for reason in reasons
        if not set(scripts).isdisjoint(reason.scripts)
        and version_order(drill.old)[:2] < version_order(reason.since)
        and version_order(reason.since) <= version_order(drill.new)
    ]


def _reread(paragraphs: Sequence[Paragraph]) -> str:
    rows = ["To read again:"]
    for one in paragraphs:
        why = f"says {_some(one.shares)}" if one.shares else "stands beside the snippet"
        rows += [f"  {one.file}:{one.line}: {why}", f"      {_short(one.text)}"]
    return "\n".join(rows)


def _lines(mark: str, lines: Sequence[str], part: str) -> list[str]:
    shown = lines if part == OUTPUT else [_short(line) for line in lines[:LINES]]
    rows = [f"     {mark} {line}" for line in shown]
    if len(lines) > len(shown):
        rows.append(f"     {mark} ... and {len(lines) - len(shown)} lines more")
    return rows


def _short(text: str) -> str:
    return text if len(text) <= WIDTH else f"{text[:WIDTH]} ..."


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:FEW]) + (" ..." if len(names) > FEW else "")


def _times(number: int, thing: str) -> str:
    return f"{number} {thing}{'' if number == 1 else 's'}"
