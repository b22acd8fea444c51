"""The state that outlives one build: the book, its runs, and the rendered pages; the folder that
a new site replaces; and the report at the end of a build."""

from __future__ import annotations

import contextlib
import logging
import shutil
import tempfile
import time
from dataclasses import dataclass, field, replace
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import Abort, PluginError

from proofbook import pipeline, summary
from proofbook.directives.registry import read_with_results
from proofbook.export import site_files
from proofbook.html.formulas import FONT_FILE, font
from proofbook.maths.check import missing_software
from proofbook.mkdocs.labs import Labs
from proofbook.mkdocs.page_cache import Cache, RenderedPages
from proofbook.mkdocs.search_index import SearchIndex
from proofbook.model.book import Book
from proofbook.model.cache import Reads, Store
from proofbook.model.problem import Problem, without_duplicates
from proofbook.model.temporary import replace_folder
from proofbook.run.runner import RunnerError
from proofbook.run.runs import VARIED, Runs, known_results, seconds_of
from proofbook.summary import showing_progress

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


class SiteFolder:
    """The folder of a site, which is replaced once the new one is proved; until then, and after a
    failure, the last one remains.

    The settings of a build point to a folder next to it, one for each build: two may run at once.
    What a build that was killed left there is deleted a day later.
    """

    def __init__(self, config: MkDocsConfig) -> None:
        self.proved = False
        self._config, self._site = config, Path(config.site_dir)
        self._site.parent.mkdir(parents=True, exist_ok=True)
        for left in self._site.parent.glob(f"{self._site.name}.next-*"):
            with contextlib.suppress(FileNotFoundError):  # another build ended just now
                if time.time() - left.stat().st_mtime > 86_400:
                    shutil.rmtree(left, ignore_errors=True)
        self._new = tempfile.TemporaryDirectory(
            prefix=f"{self._site.name}.next-", dir=self._site.parent, ignore_cleanup_errors=True
        )
        config.site_dir = self._new.name

    def finish(self) -> None:
        """Replace the old site if the new one is proved; otherwise delete the new one."""
        try:
            if self.proved:
                replace_folder(self._site, Path(self._new.name))
                self._config.site_dir = str(self._site)  # for later steps: gh-deploy
        finally:
            self._new.cleanup()


class Session:
    """Owns the state of one `mkdocs` process between its builds, for all editions.

    Reads the book in `root`, and starts its scripts. Raises `Unproved` if the settings of the book
    are wrong.
    """

    def __init__(self, root: Path, serving: bool) -> None:
        self.serving, self.store = serving, Store(root)
        self.book = read_with_results(root, self.store)
        known = known_results(self.store)
        self.runs = Runs(
            self.book.root,
            # Each script is run at every build; with other numbers, once for each set.
            known={key: result for key, result in known.items() if key[2] == VARIED},
            took=seconds_of(known),
        )
        self.started = pipeline.start(self.book, self.runs, navigation=False)
        self.cache = Cache(self.store.load("site", self.book.config))
        self.findings = Findings()
        self.reads: dict[tuple[str, str], Reads] = {}
        """By language and file of a page: the parts of the book read for its last rendering."""
        self.pages = RenderedPages(self.cache)
        self.search = SearchIndex(self.cache)
        self.labs = Labs(self.runs, self.cache)

    def adopt(self, book: Book) -> None:
        """Continue with a book that was read again, and run new scripts."""
        self.book = book
        self.started = pipeline.start(self.book, self.runs, navigation=False)

    def problems(self, outcome: pipeline.Outcome) -> list[Problem]:
        """All problems of the book: of its checks and runs, of its rendered pages and its labs."""
        rendered = [each for found in self.findings.problems.values() for each in found]
        labs = self.labs.problems(self.book, outcome.results)
        return without_duplicates([*outcome.problems, *rendered, *labs])

    def close(self) -> None:
        """Stop all runs, and save the results for the next process."""
        with contextlib.suppress(OSError):
            self.store.save_memo(self.book)
            self.store.save("site", self.cache.used(), self.book.config)
            if all(run.done() for run in self.started.waiting):
                self.runs.save(self.store)
        self.pages.close()
        self.runs.close()


def write_shared_files(session: Session, site: Path) -> None:
    """Write scripts, downloads, and the font of the formulas into the folder of the site."""
    book, letters = session.book, frozenset().union(*session.findings.letters.values())
    site_files.copy_offered(book, site)
    for language in book.config.codes:
        folder = site / book.config.prefix(language)
        site_files.write_scripts(book, language, folder)
        if letters and folder.is_dir() and not missing_software():
            made_from = "".join(sorted(letters))
            cut = session.cache.get("font", made_from) or font(letters)  # half a second
            session.cache.put("font", made_from, cut)
            (folder / FONT_FILE).write_bytes(cut)


def prove(session: Session, warned: Abort | None) -> list[Problem]:
    """Report all problems, once all editions are built, and return them.

    Raises `PluginError` if there are any, except in a served site, whose pages show them. `warned`:
    the error of a strict build with warnings; it is raised after that.
    """
    try:
        outcome = pipeline.finish(session.started, showing_progress)
    except RunnerError as error:
        raise PluginError(str(error)) from error
    executed = session.labs.figure_counts(), session.labs.count_known()
    outcome = replace(outcome, figures=executed[0], notebooks_known=executed[1])
    problems = session.problems(outcome)
    if outcome.warnings:  # not as a warning of MkDocs, which would stop a strict build
        log.info(summary.format_warnings(outcome.warnings))
    if session.serving:
        if problems:
            log.error(summary.format_failures(problems))
        log.info(summary.format_recheck(outcome, len(problems)))
    elif problems:
        text = summary.format_failures(problems)
        raise PluginError(f"the book does not hold; the last good site stays\n\n{text}")
    elif not warned:
        log.info(summary.format_success(outcome))
    if warned:
        raise warned
    return problems
