"""What outlives one build: the book, its runs and notebooks, and the pages that were rendered."""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass, field
from pathlib import Path

from proofbook import pipeline
from proofbook.mkdocs.kept import Kept
from proofbook.mkdocs.lab_figures import LabFigures
from proofbook.mkdocs.made_by import installed_software
from proofbook.mkdocs.rendered import RenderedPages
from proofbook.mkdocs.search_index import SearchEntries
from proofbook.mkdocs.templates import CompiledTemplates
from proofbook.model.book import Book, read_book
from proofbook.model.memo import Reads
from proofbook.model.problem import Problem
from proofbook.model.store import Store
from proofbook.model.temporary import TemporaryFolder
from proofbook.run.kernels import kernel_environment
from proofbook.run.notebooks import Notebooks
from proofbook.run.runs import VARIED, Runs


@dataclass
class Findings:
    """What the pages of one build gave that is needed after them.

    `problems`: those that are seen only while a page is made; `letters`: the characters in its
    formulas; `unshown`: pages that could not be expanded.
    """

    problems: dict[str, list[Problem]] = field(default_factory=dict)
    letters: dict[str, frozenset[str]] = field(default_factory=dict)
    unshown: set[str] = field(default_factory=set)


@dataclass
class Session:
    """Owns all that one `mkdocs` process keeps between its builds, for all editions.

    `installed`: a digest of the packages that were installed when it began.
    """

    serving: bool
    store: Store
    book: Book
    runs: Runs
    notebooks: Notebooks | None
    kernels: TemporaryFolder
    started: pipeline.Started
    installed: str
    kept: Kept
    findings: Findings = field(default_factory=Findings)
    reads: dict[tuple[str, str], Reads] = field(default_factory=dict)
    """By language and file of a page: what of the book was read to render it last."""

    def __post_init__(self) -> None:
        self.pages = RenderedPages(self.kept)
        self.search = SearchEntries(self.kept)
        self.templates = CompiledTemplates(self.kept)
        self.figures = LabFigures(self.runs)

    @classmethod
    def open(cls, root: Path, serving: bool, with_notebooks: bool) -> Session:
        """Read the book that lies in `root`, and have its scripts run, and its notebooks if asked.

        Raises `Unproved` if the settings of the book are wrong.
        """
        store, kernels = Store(root), TemporaryFolder()
        os.environ |= kernel_environment(kernels.path)
        book = read_book(root, store.load_memo())
        known, notebooks = store.load_results(), None
        runs = Runs(
            book.root,
            # Each script is run at every build; with other numbers, once for these.
            known={key: result for key, result in known.items() if key[2] == VARIED},
            took={script: result.seconds for (script, *_), result in known.items()},
        )
        installed = installed_software()
        if with_notebooks:
            notebooks = Notebooks(store.load_notebooks(installed), runs.fork_kernel)
        started = pipeline.start(book, runs, notebooks, navigation=False)
        kept = Kept(store.load_site(book.config, installed))
        return cls(serving, store, book, runs, notebooks, kernels, started, installed, kept)

    def reopen(self) -> None:
        """Read the book again where it has changed, and have what is new run."""
        self.adopt(self.book.reopened())

    def adopt(self, book: Book) -> None:
        """Go on with a book that was read again, and have what is new run."""
        self.book = book
        self.started = pipeline.start(self.book, self.runs, self.notebooks, navigation=False)
        self.runs.forget_others(self.book.scripts)

    def close(self) -> None:
        """Stop what runs, and keep what was found for the next process."""
        with contextlib.suppress(OSError):
            self.store.save_memo(self.book)
            self.store.save_site(self.book.config, self.installed, self.kept.used())
            if all(run.done() for run in self.started.waiting):
                self.store.save_runs(self.runs)
            if self.notebooks:
                self.store.save_notebooks(self.installed, self.notebooks.held)
        self.runs.close()  # first: its kernels end with it, and no notebook is waited for
        if self.notebooks:
            self.notebooks.close()
        self.kernels.remove()
