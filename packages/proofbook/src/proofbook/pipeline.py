"""Proves a book: runs its snippets, checks its files, compares the outputs.

The command, the build and the tests all use this pipeline.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path

from proofbook.check.files import wrong_navigation
from proofbook.check.outputs import problems_in_runs
from proofbook.check.registry import problems_in_files
from proofbook.directives.registry import traced_scripts, varied_scripts
from proofbook.directives.varied_figure import variants_of_scripts
from proofbook.model.book import Book
from proofbook.model.problem import Problem, errors, warnings, without_duplicates
from proofbook.model.sources import Revision
from proofbook.run.judge import Result
from proofbook.run.runs import Runs

Watch = Callable[
    [Sequence[Future[Result]], Callable[[], list[tuple[Path, float]]]],
    AbstractContextManager[None],
]
"""Shows an author the progress of the runs: see `proofbook.summary.showing_progress`."""


@dataclass(frozen=True)
class Outcome:
    """The results: problems and warnings, results of runs, seconds.

    `figures`: the number of figures of each notebook that the build executed; `notebooks_known`:
    the number of notebooks executed by an earlier one; `again`: the scripts that had to be run. All
    others were cached.
    """

    book: Book
    problems: Sequence[Problem]
    warnings: Sequence[Problem]
    results: Sequence[Result]
    files: Sequence[str]
    seconds: float
    figures: Sequence[int] = ()
    notebooks_known: int = 0
    again: Collection[str] = field(default_factory=set)

    def of(self, files: Collection[str]) -> Outcome:
        """The results for these files alone."""

        def chosen(problems: Sequence[Problem]) -> list[Problem]:
            return [p for p in problems if not {p.file, *p.pages}.isdisjoint(files)]

        pages = [file for file in self.files if file in files]
        problems, warnings = chosen(self.problems), chosen(self.warnings)
        return replace(self, problems=problems, warnings=warnings, files=pages)


@dataclass
class Started:
    """A book whose scripts have been submitted to the runner.

    `navigation`: the argument of `start`.
    """

    book: Book
    runs: Runs
    waiting: list[Future[Result]]
    again: frozenset[str]
    began: float
    navigation: bool


def start(
    book: Book,
    runs: Runs,
    scripts: Collection[str] | None = None,
    navigation: bool = True,
) -> Started:
    """Start the scripts of a book (all, or the given ones); doesn't wait.

    `navigation`: whether the settings' navigation is checked too; in a build MkDocs does it.
    """
    began = time.monotonic()
    # First those that draw: they take long, and in a build pages wait for their figures.
    chosen = sorted(
        book.scripts if scripts is None else scripts,
        key=lambda script: "matplotlib" not in book.text_or_empty(script),
    )
    traced = book.fact(traced_scripts)
    varied = {s: texts for s, texts in book.fact(varied_scripts).items() if s in set(chosen)}
    variants = variants_of_scripts(book, varied)
    waiting = runs.start(chosen, [script for script in chosen if script in traced], variants)
    return Started(book, runs, waiting, frozenset(runs.again), began, navigation)


def finish(
    started: Started,
    watch: Watch = lambda *_: nullcontext(),
    between: Callable[[], None] = lambda: None,
    since: Revision | None = None,
) -> Outcome:
    """Check the files while the scripts run, wait for the runs, compare. Raises `RunnerError`.

    `between` is called after each page; an exception in it ends the check. `since`: the revision
    with which what has changed is compared; by default the last commit.
    """
    book = started.book
    with watch(started.waiting, started.runs.running):
        problems = problems_in_files(book, between, since)
        results = [future.result() for future in started.waiting]
    problems += problems_in_runs(book, results)
    if started.navigation:
        problems += wrong_navigation(book)
    seconds = time.monotonic() - started.began
    files = book.page_files
    problems = without_duplicates(problems)
    found = errors(problems), warnings(problems)
    return Outcome(book, *found, results, files, seconds, again=started.again)
