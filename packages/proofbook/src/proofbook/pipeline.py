"""The press: reads the book, has its scripts and notebooks run, and says what does not hold.

It serves any generator of sites: `mkdocs_adapter` asks it while it turns pages into HTML.
"""

from __future__ import annotations

import contextlib
import hashlib
import time
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path

import jieba

from proofbook.api.documentation import Documentation
from proofbook.api.index import Index, read_index
from proofbook.api.inventory import read_inventories
from proofbook.check.api_names import Shown
from proofbook.check.outputs import problems_in_runs
from proofbook.cli import summary
from proofbook.cli.progress import watching
from proofbook.content.glossary import Terms, read_terms
from proofbook.content.questions import Question, read_questions
from proofbook.content.related import Related
from proofbook.content.search import own_words
from proofbook.html.figures import PLACEHOLDER, awaited_figures, fill_figures
from proofbook.html.tree import Tree
from proofbook.html.value_markers import PageValueLinks, find_value_links
from proofbook.model.book import Book, problems_in_files, read_book
from proofbook.model.page import Page
from proofbook.model.problem import Problem, Unproved
from proofbook.run.notebooks import Notebooks
from proofbook.run.result import Result
from proofbook.run.runner import Runner


@dataclass
class Press:
    """What outlives one build: while serving, only scripts that changed are run again."""

    notebooks: Notebooks = field(default_factory=Notebooks)
    runner: Runner = field(default_factory=Runner)
    runs: dict[tuple[str, str, bool], Future[Result]] = field(default_factory=dict)
    book: Book | None = None
    pages: dict[str, Page] = field(default_factory=dict)
    terms: Terms = field(default_factory=Terms)
    questions: tuple[Question, ...] = ()
    index: Index | None = None
    documentation: Documentation | None = None
    shown: dict[str, Shown] = field(default_factory=dict)
    value_links: dict[str, PageValueLinks] = field(default_factory=dict)
    related: Related | None = None
    formulas: list[Problem] = field(default_factory=list)
    letters: frozenset[str] = frozenset()
    unshown: set[str] = field(default_factory=set)
    again: set[str] = field(default_factory=set)
    results: list[Result] = field(default_factory=list)
    began: float = 0.0

    def start(self, root: Path) -> None:
        """Read the book and have every script run whose text is new."""
        self.began = time.monotonic()
        self.book, self.formulas, self.letters, runs = read_book(root), [], frozenset(), {}
        self.pages = {page.file: page for page in self.book.pages}
        self.terms, self.questions, self.unshown = Terms(), (), set()
        with contextlib.suppress(Unproved):  # told with all other problems
            self.terms = read_terms(root)
        with contextlib.suppress(Unproved):
            self.questions = read_questions(root)
        for word in own_words(self.terms, jieba.cut):
            jieba.add_word(word)
        if not self.runner.alive():
            self.runner.close()
            self.runner, self.runs = Runner(), {}
        traced = [script for script in self.book.scripts if script in self.book.traced]
        for script, trace in [
            *((s, False) for s in self.book.scripts),
            *((s, True) for s in traced),
        ]:
            key = script, hashlib.sha256((root / script).read_bytes()).hexdigest(), trace
            runs[key] = self.runs.get(key) or self.runner.submit(root / script, trace)
        self.again = {script for script, *_ in runs.keys() - self.runs.keys()}
        self.runs = runs
        self.notebooks.start(self.book)
        with contextlib.suppress(Unproved):
            self.index = self.index or read_index()  # while the scripts run
            if self.documentation is None:
                addresses = read_inventories(root, self.book.config.inventories)
                self.documentation = Documentation(self.index, addresses)
        self.value_links = find_value_links(self.book)
        self.related = Related(self.book.pages, self.terms)

    def problems(self) -> list[Problem]:
        """Everything that does not hold; waits for the runs. Raises `RunnerError`."""
        runs = list(self.runs.values())
        with watching(runs, self.runner.running, self.book.root):
            seen = problems_in_files(self.book) + self.formulas  # while the last scripts run
            self.results = [run.result() for run in runs]
        results = {script: run.result() for (script, *_), run in self.runs.items()}
        seen += problems_in_runs(self.book, self.results)
        return seen + list(self.notebooks.problems(self.book, results))

    def proof(self) -> summary.Proof:
        """What was proved since `start`."""
        took = time.monotonic() - self.began
        drawn = self.notebooks.figure_counts()
        return summary.Proof(self.book, self.results, self.book.pages, took, drawn)

    def with_figures(self, page: str) -> str:
        """The whole HTML of a page with the figures that its notebook drew."""
        if PLACEHOLDER not in page:
            return page
        tree = Tree(page)
        fill_figures(tree, self.notebooks.figures(set(awaited_figures(tree))))
        return tree.html

    def close(self) -> None:
        """Stop what runs."""
        self.runner.close()
        self.notebooks.close()
