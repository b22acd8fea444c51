"""What an author reads: progress while the snippets run, and one screen at the end of a check or a
build: what was proved, how long it took, what fails."""

from __future__ import annotations

import contextlib
import re
import shutil
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import TextIO

from proofbook.api.index import installed_api
from proofbook.content.report import Count, count
from proofbook.model.problem import Problem, format_problems, without_duplicates
from proofbook.other_python import Drill
from proofbook.pipeline import Outcome
from proofbook.run.judge import Result

PATIENCE = 5.0
"""Seconds after which an unfinished run is named."""

FEW = 3
"""This many failures are not counted by kind; so many names are listed."""

MOST = 8
"""The maximum number of kinds of failures, and of files with others, that are counted."""
_SPECIFIC = re.compile(
    r"""(?:docs|snippets|tests)/\S+|`[^`]*`|'[^']*'|"[^"]*"|「[^」]*」|(?<![\w.])-?\d[\d.]*|#[\w-]+"""
    r"|(?<=: ).+"
)


@contextlib.contextmanager
def showing_progress(
    runs: Sequence[Future[Result]],
    running: Callable[[], list[tuple[Path, float]]],
    stream: TextIO | None = None,
) -> Iterator[None]:
    """While the block runs, show the progress of the `runs` in a line of the terminal, if the
    `stream` (standard error) is one. Nothing is colored.

    `running`: returns the running scripts, each with its seconds so far.
    """
    stream, over, began = stream or sys.stderr, threading.Event(), time.monotonic()

    def look() -> None:
        shown = ""
        while stream.isatty() and not over.wait(0.1):
            done, seconds = sum(run.done() for run in runs), time.monotonic() - began
            slow = [(path.name, took) for path, took in running() if took >= PATIENCE]
            text = f"{done} of {len(runs)} runs, {seconds:.0f} s" + "; still running: " * bool(slow)
            text += ", ".join(f"{name} ({took:.0f} s)" for name, took in slow)
            text = text[: shutil.get_terminal_size().columns - 1]
            print("\r" + text.ljust(len(shown)), end="", file=stream, flush=True)
            shown = text
        if shown:
            print("\r" + " " * len(shown) + "\r", end="", file=stream, flush=True)

    thread = threading.Thread(target=look, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def format_success(outcome: Outcome) -> str:
    """The summary if everything holds."""
    book = outcome.book
    plain = [r for r in outcome.results if r.trace is None and r.variants is None]
    lines = sum(len(result.stdout.splitlines()) for result in plain)
    compared = f"{counted(lines, 'line')} of output"
    if recorded := len(outcome.results) - len(plain):
        compared += f", {counted(recorded, 'recording')} for figures"
    rows = [("compared", compared)]
    if remembered := len({r.path for r in outcome.results}) - len(outcome.again):
        text = "unchanged since the last check (--fresh runs them too)"
        rows.append(("not run", f"{counted(remembered, 'snippet')} {text}"))
    executed = []
    if figures := outcome.figures:
        text = f"{counted(figures, 'notebook')}, {counted(sum(figures), 'figure')} drawn"
        executed.append(text)
    if known := outcome.notebooks_known:
        executed.append(f"{counted(known, 'notebook')} before, unchanged since")
    rows.append(("executed", "; ".join(executed)))
    total = sum((book.fact(count, file) for file in outcome.files), Count())
    rows.append(("found", f"{counted(total.values, 'value')} of the text in the runs"))
    open_ = f"; {total.open} nobody could evaluate (proofbook unproved)" if total.open else ""
    rows.append(("computed", counted(total.computed, "equation") + open_))
    if index := installed_api(book):
        rows.append(("looked up", f"{counted(total.names, 'name')} of {index.title}"))
    if missing := sorted({f for code in book.config.codes for f in book.untranslated(code)}):
        rows.append(("missing", f"{counted(missing, 'page')} to translate: {_some(missing)}"))
    slowest = ", ".join(f"{name} {took:.1f} s" for name, took in _slowest(outcome))
    rows.append(("slowest", slowest))
    first = (
        f"{counted(plain, 'snippet')} run and compared, {counted(outcome.files, 'page')} read: "
        f"everything holds ({outcome.seconds:.1f} s)."
    )
    return "\n".join([first, *(f"  {label:<10}{text}" for label, text in rows if text)])


def format_drill(found: Drill) -> str:
    """The summary for another version of PyTorch: how many scripts print the recorded output."""
    different = sorted({problem.file for problem in found.problems})
    run = counted(len(found.record.printed), "snippet")
    return (
        f"PyTorch {found.record.version}: {run} known, {len(found.same)} print what is recorded, "
        f"{len(found.otherwise)} the same numbers in another form; {counted(different, 'file')} "
        f"with something else{': ' * bool(different)}{', '.join(different)}"
    )


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:FEW]) + (" ..." if len(names) > FEW else "")


def _slowest(outcome: Outcome) -> list[tuple[str, float]]:
    """The slowest scripts, by their paths in the book, each with its seconds."""
    took: dict[str, float] = {}
    for result in outcome.results:
        name = Path(result.path).relative_to(outcome.book.root).as_posix()
        took[name] = max(took.get(name, 0), result.seconds)
    return sorted(took.items(), key=lambda item: -item[1])[:FEW]


def format_failures(problems: Sequence[Problem]) -> str:
    """The failures, as `format_problems` returns them; several are counted by kind at the end:
    messages without the details of their places."""
    problems = without_duplicates(problems)
    if len(problems) <= FEW:
        return format_problems(problems)
    files = Counter(problem.file for problem in problems)
    texts = (_SPECIFIC.sub("…", problem.what) for problem in problems)
    kinds = Counter(re.sub(r"…(?:[\s,]*…)+", "…", text) for text in texts)
    told = [f"{counted(problems, 'problem')} in {counted(files, 'file')}. Nothing was changed."]
    told += [f"  {times:>4}  {name}" for name, times in kinds.most_common(MOST)]
    told += [f"  {times:>4}  in {name}" for name, times in files.most_common(MOST)]
    return "\n".join([*(f"{problem}\n" for problem in problems), *told])


def format_warnings(problems: Sequence[Problem]) -> str:
    """The warnings, unchanged, with a count at the end."""
    problems = without_duplicates(problems)
    return "\n\n".join(
        [*map(str, problems), f"{counted(problems, 'warning')}. Warnings stop nothing."]
    )


def format_recheck(outcome: Outcome, problems: int) -> str:
    """A check while serving in one line: what ran again, the seconds, whether all holds."""
    names = outcome.again
    ran = f"{counted(names, 'snippet')} run again"
    if 0 < len(names) <= FEW:
        ran = f"{', '.join(sorted(names))} run again"
    state = counted(problems, "problem") if problems else "everything holds"
    return f"{ran}, {counted(outcome.files, 'page')} read: {state} ({outcome.seconds:.1f} s)."


def counted(things: Collection | int, name: str) -> str:
    """A count with its noun: 1 page, 2 pages."""
    many = things if isinstance(things, int) else len(things)
    return f"{many:,} {name}{'' if many == 1 else 's'}"
