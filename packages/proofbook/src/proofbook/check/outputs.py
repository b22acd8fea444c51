"""Compares the output of the scripts with the book's recorded output."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from gradtrace import first_difference, parse_trace, same_but_for_rounding

from proofbook.directives import plot as plots
from proofbook.directives.registry import traced_scripts
from proofbook.directives.trace_figure import recording_file
from proofbook.model.book import Book
from proofbook.model.page import one_line_end
from proofbook.model.problem import Problem
from proofbook.model.snippet import (
    changed_output,
    dtype_of_results,
    first_different_line,
    output_file,
)
from proofbook.model.varied_runs import parse_runs, varied_file
from proofbook.run.judge import Result, refused


def problems_in_runs(book: Book, results: Iterable[Result]) -> list[Problem]:
    """Runs that were refused, or whose output or recording differs from the stored one."""
    results = list(results)
    right = {result.path for result in results if result.refusal is None}
    varied = {result.path: result.variants for result in results if result.variants}
    found = ((r, r.path in right, varied.get(r.path, ())) for r in results)
    return [problem for run in found for problem in problems_in_run(book, *run)]


def problems_in_run(
    book: Book,
    result: Result,
    only_recorded: bool = False,
    variants: Sequence[tuple[str, str]] = (),
) -> Iterator[Problem]:
    """The errors of one run. `only_recorded`: without the recorder, the script ran well.
    `variants`: the output and recordings with other numbers."""
    script = Path(result.path).relative_to(book.root).as_posix()
    pages = book.pages_showing(script)
    if result.refusal:
        yield refused(script, result, pages, only_recorded)
        return
    if result.variants is not None:
        yield from other_variants(book, script, result.variants, pages)
        return
    shown = [book.page(file) for file in pages]
    drawn = [figure for _, figure in variants if figure]
    if script in book.fact(traced_scripts):
        drawn = []  # they are recordings
    yield from plots.wrong_figures(shown, script, result.figures, drawn)
    if (problem := _difference(book, script, result.stdout, pages)) or (
        problem := _other_trace(book, script, result.trace, pages)
    ):
        yield problem


def _difference(book: Book, script: str, printed: str, pages: tuple[str, ...]) -> Problem | None:
    output = output_file(script)
    if not book.has(output):
        if pages:
            return None  # reported by the pages that show it
        fix = f"proofbook update {script}"
        return Problem(output, 1, "no output is recorded", "a file", "none", fix)
    try:
        recorded, printed = book.text(output), one_line_end(printed)
        if same_but_for_rounding(recorded, printed, dtype_of_results(book.text(script))):
            return None
        return changed_output(script, recorded, printed, pages)
    except UnicodeDecodeError:
        return None  # reported once for the file itself, by the book


def other_variants(
    book: Book, script: str, now: Sequence[tuple[str, str]], pages: tuple[str, ...]
) -> Iterator[Problem]:
    """Scripts whose runs with other numbers differ from their `.varied`."""
    name, fix = varied_file(script), f"proofbook update {script}"
    traced = script in book.fact(traced_scripts)
    drawn = any(r.path == script for file in pages for r in plots.plots_of(book.page(file)))
    try:
        own = book.text(recording_file(script)) if traced else ""
        _, kept = parse_runs(book.text(name), own)
    except (OSError, ValueError):
        return  # reported by the pages that show it
    dtype = dtype_of_results(book.text(script))
    for number, (run, (printed, recording)) in enumerate(zip(kept, now, strict=False)):
        values = ", ".join(run.values)
        if not same_but_for_rounding(run.printed, printed, dtype):
            _, old, new = first_different_line(run.printed, printed)
            what = f"{script} prints something else with {values}"
        elif traced and (difference := first_difference(run.recording, recording, dtype)):
            _, place, old, new = difference
            what = f"{script} does something else with {values}: {place}"
        elif drawn and not recording:
            what, expected = f"there is no figure to show with {values}", "one figure"
            found, fix = "none, or several", "fix the script, or take other values (vary:)"
            yield Problem(script, 1, what, expected, found, fix, pages)
            return
        else:
            continue
        recorded, happens = f"{old}    (recorded)", f"{new}    (what it does now)"
        yield Problem(name, number + 2, what, recorded, happens, fix, pages)
        return


def _other_trace(
    book: Book, script: str, now: str | None, pages: tuple[str, ...]
) -> Problem | None:
    """Recorded scripts that differ from their `.trace`."""
    if now is None:
        return None
    name, fix = recording_file(script), f"proofbook update {script}"
    if not book.has(name):
        what = f"no recording is kept, and {pages[0] if pages else 'a page'} shows it"
        return Problem(name, 1, what, "a file", "none", fix, pages)
    try:
        kept = book.text(name)
    except UnicodeDecodeError:
        return None  # reported once for the file itself, by the book
    try:
        parse_trace(kept)
    except ValueError as error:
        what, why = "this is not what a recording is", str(error)
        return Problem(name, 1, what, "a recording", why, fix, pages)
    dtype = dtype_of_results(book.text(script))
    if (difference := first_difference(kept, now, dtype)) is None:
        return None
    line, place, recorded, happens = difference
    return Problem(
        name,
        line,
        f"{script} does something else than what is recorded: {place}",
        f"{recorded}    (recorded; the figure shows this)",
        f"{happens}    (what PyTorch does now)",
        f"if the new recording is right: {fix}",
        pages,
    )
