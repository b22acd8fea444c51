"""The state that outlives one build: the book, its runs, and the rendered pages; and the report at
the end of a build."""

from __future__ import annotations

import contextlib
import logging
from dataclasses import dataclass, field, replace
from pathlib import Path

from mkdocs.exceptions import Abort, PluginError

from proofbook import pipeline
from proofbook.cli import summary
from proofbook.cli.progress import showing_progress
from proofbook.export import downloads
from proofbook.html.formulas import FONT_FILE, font
from proofbook.mkdocs.labs import Labs
from proofbook.mkdocs.material import show_problems
from proofbook.mkdocs.page_cache import Cache, RenderedPages, digest, installed_software
from proofbook.mkdocs.search_index import SearchIndex
from proofbook.model.book import Book, read_book
from proofbook.model.cache import Reads, Store
from proofbook.model.problem import Problem, without_duplicates
from proofbook.run.runner import RunnerError
from proofbook.run.runs import VARIED, Runs, known_results, seconds_of

log = logging.getLogger("mkdocs.proofbook")


@dataclass
class Findings:
    """Results of rendering pages that are needed at the end of a build.

    `problems`: those found only while rendering; `letters`: the characters in its formulas;
    `unshown`: pages that could not be expanded.
    """

    problems: dict[str, list[Problem]] = field(default_factory=dict)
    letters: dict[str, frozenset[str]] = field(default_factory=dict)
    unshown: set[str] = field(default_factory=set)


@dataclass
class Session:
    """Owns the state of one `mkdocs` process between its builds, for all editions.

    `installed`: a digest of the packages installed when it began.
    """

    serving: bool
    store: Store
    book: Book
    runs: Runs
    started: pipeline.Started
    installed: str
    cache: Cache
    findings: Findings = field(default_factory=Findings)
    reads: dict[tuple[str, str], Reads] = field(default_factory=dict)
    """By language and file of a page: the parts of the book read for its last rendering."""

    def __post_init__(self) -> None:
        self.pages = RenderedPages(self.cache)
        self.search = SearchIndex(self.cache)
        self.labs = Labs(self.runs, self.cache)

    @classmethod
    def open(cls, root: Path, serving: bool) -> Session:
        """Read the book in `root`, and start its scripts.

        Raises `Unproved` if the settings of the book are wrong.
        """
        store = Store(root)
        book = read_book(root, store.load_memo())
        known = known_results(store)
        runs = Runs(
            book.root,
            # Each script is run at every build; with other numbers, once for each set.
            known={key: result for key, result in known.items() if key[2] == VARIED},
            took=seconds_of(known),
        )
        installed = installed_software()
        started = pipeline.start(book, runs, navigation=False)
        cache = Cache(store.load("site", book.config, installed))
        return cls(serving, store, book, runs, started, installed, cache)

    def reopen(self) -> None:
        """Read the changed files of the book again, and run new scripts."""
        self.adopt(self.book.reopened())

    def adopt(self, book: Book) -> None:
        """Continue with a book that was read again, and run new scripts."""
        self.book = book
        self.started = pipeline.start(self.book, self.runs, navigation=False)
        self.runs.forget_others(self.book.scripts)

    def close(self) -> None:
        """Stop all runs, and save the results for the next process."""
        with contextlib.suppress(OSError):
            self.store.save_memo(self.book)
            self.store.save("site", self.cache.used(), self.book.config, self.installed)
            if all(run.done() for run in self.started.waiting):
                self.runs.save(self.store)
        self.pages.close()
        self.runs.close()


def write_shared_files(session: Session, site: Path) -> None:
    """Write the scripts, the downloads, and the font of the formulas into the folder of the
    site."""
    book, letters = session.book, frozenset().union(*session.findings.letters.values())
    for language in book.config.codes:
        downloads.write_scripts(book, language, site / book.config.prefix(language))
    downloads.copy_offered(book, site)
    if not letters:
        return
    made_from = digest(*sorted(letters))
    cut = session.cache.get("font", made_from)
    if cut is None:
        cut = font(letters)
        session.cache.put("font", made_from, cut)
    for language in book.config.codes:
        folder = site / book.config.prefix(language)
        if folder.is_dir():
            (folder / FONT_FILE).write_bytes(cut)


def prove(session: Session, site: Path, warned: Abort | None) -> None:
    """Report all problems, once all editions are built.

    Raises `PluginError` if there are any; in a served site, its pages show them instead. `warned`:
    the error of a strict build with warnings; it is raised after that.
    """
    try:
        outcome = pipeline.finish(session.started, showing_progress)
        labs = session.labs
        outcome = replace(outcome, figures=labs.figure_counts(), notebooks_known=labs.count_known())
    except RunnerError as error:
        raise PluginError(str(error)) from error
    extra = [problem for found in session.findings.problems.values() for problem in found]
    extra += labs.problems(session.book, outcome.results)
    problems = without_duplicates([*outcome.problems, *extra])
    if outcome.warnings:  # not as a warning of MkDocs, which would stop a strict build
        log.info(summary.format_warnings(outcome.warnings))
    if session.serving:
        if problems:
            log.error(summary.format_failures(problems))
            show_problems(problems, site, session.book.config)
        log.info(summary.format_recheck(outcome, len(problems)))
    elif problems:
        text = summary.format_failures(problems)
        raise PluginError(f"the book does not hold; the last good site stays\n\n{text}")
    elif not warned:
        log.info(summary.format_success(outcome))
    if warned:
        raise warned
