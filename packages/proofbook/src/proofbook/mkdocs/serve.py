"""`mkdocs serve` for an author: an edited page is shown at once, the rest of the book after it.

MkDocs builds the whole site for each edit. Here an edit of pages or snippets renders the pages that
show it, into the site that is being served; then, in a thread, the book is checked, and whatever
else has changed is rendered. Any other edit (a setting, the theme, a new page) is a whole build.
"""

from __future__ import annotations

import contextlib
import logging
import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import jinja2
from markdown import Markdown
from mkdocs.commands.build import _build_page, _populate_page
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.livereload import LiveReloadServer
from mkdocs.structure.files import File, Files
from mkdocs.structure.nav import Navigation

from proofbook import pipeline
from proofbook.api.documentation import known_documentation
from proofbook.cli import summary
from proofbook.mkdocs.editions import name_after_first_page
from proofbook.mkdocs.material import show_problems
from proofbook.mkdocs.status import write_status
from proofbook.mkdocs.watching import Watcher
from proofbook.model.book import Book
from proofbook.model.problem import Problem, Unproved, without_duplicates
from proofbook.model.sources import FOLDERS

if TYPE_CHECKING:
    from proofbook.mkdocs.plugin import ProofbookPlugin
    from proofbook.mkdocs.session import Session

log = logging.getLogger("mkdocs.proofbook")

_CODE = "```python\nx = 1\n```\n"

PAUSE = 0.5
"""Seconds without an edit after which the book is checked."""


@dataclass(frozen=True)
class Edition:
    """An edition as MkDocs built it last: what is needed to render one of its pages again."""

    language: str
    config: MkDocsConfig
    files: Files
    nav: Navigation
    env: jinja2.Environment

    def pages(self) -> dict[str, File]:
        """The files of its pages, by their path in the book."""
        return {f"docs/{file.src_uri}": file for file in self.files.documentation_pages()}


def warm_up(session: Session, editions: Iterable[Edition]) -> None:
    """Load what the first edit needs and a build of pages that were kept did not; takes seconds,
    in which a build waits for its scripts anyway."""
    known_documentation(session.book)
    session.search.segmenter.ready()
    for edition in editions:
        extensions, options = edition.config.markdown_extensions, edition.config.mdx_configs
        Markdown(extensions=extensions, extension_configs=options).convert(_CODE)


class _EditedAgain(Exception):
    """The book that is being checked is no longer the one being edited."""


@dataclass
class LiveSite:
    """The site while it is served. `build`: MkDocs' own build of everything."""

    plugin: ProofbookPlugin
    server: LiveReloadServer
    build: Callable[[], None]
    _rendering: threading.Lock = field(default_factory=threading.Lock)
    _edited: threading.Event = field(default_factory=threading.Event)
    _author_waits: threading.Event = field(default_factory=threading.Event)
    _stopped: bool = False
    _edits: int = 0
    _others: dict[str, tuple[int, int]] = field(default_factory=dict)
    _titles: dict[tuple[str, str], str] = field(default_factory=dict)
    _with_problems: set[str] = field(default_factory=set)
    _thread: threading.Thread | None = None
    _watcher: Watcher | None = None

    def start(self) -> None:
        """Take over from MkDocs: what is watched, and what an edit does."""
        self.server.builder = self.rebuild
        root = self.plugin.book.root
        own = [str(root / folder) for folder in FOLDERS if (root / folder).is_dir()]
        # MkDocs has those of the settings watched after this: then the first edit would seem to
        # have changed them.
        asked = next(iter(self.plugin.editions.values())).config.watch
        self._watcher = Watcher(self.server, [*own, *asked])
        self._at_once(True)
        self._others, self._titles = self._other_files(), self._titles_now()
        self._say(checked=True)
        self._thread = threading.Thread(target=self._check_after_edits, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End the thread that checks."""
        self._stopped = True
        self._edited.set()
        if self._thread is not None:
            self._thread.join(timeout=30)

    def rebuild(self) -> None:
        """Show an edit: render the pages that show what has changed, or build everything."""
        self._author_waits.set()
        try:
            with self._rendering:
                self._show_edit()
        except Exception as error:
            self._say_failed(error)
        finally:
            self._author_waits.clear()

    def _say_failed(self, error: Exception) -> None:
        """Say why an edit could not be shown, in the terminal and on the pages; the server goes on,
        and the next edit builds everything."""
        self._others = {}
        problems = error.problems if isinstance(error, Unproved) else ()
        why = str(error) or type(error).__name__
        log.error(f"{why}\nthe pages stay as they were until the next edit")
        log.debug("where it failed:", exc_info=True)
        with contextlib.suppress(OSError):
            self._show(list(problems))

    def _show_edit(self) -> None:
        began = time.monotonic()
        session, others = self.plugin.session, self._other_files()
        book = session.book.reopened()
        changed = book.changed_since(session.book)
        if others != self._others or book.page_files != session.book.page_files:
            self._others = others
            self._build_everything()
            return
        if not changed:
            return
        session.adopt(book)
        self._edits += 1
        shown = set(_pages_of(changed, book))
        self._say(checked=False)
        for edition in self.plugin.editions.values():
            for file in shown & edition.pages().keys():
                self._render(edition, file)
        seconds = time.monotonic() - began
        names = ", ".join(sorted(changed)[:3]) + (" ..." if len(changed) > 3 else "")
        log.info(f"{names}: shown after {seconds:.1f} s; the book is being checked")
        self._edited.set()

    def _build_everything(self) -> None:
        self._edits += 1
        self._with_problems = set()
        self._at_once(False)
        try:
            self.build()
        finally:
            self._at_once(True)
        self._titles = self._titles_now()
        self._say(checked=True)

    def _at_once(self, at_once: bool) -> None:
        """Whether a page is written without its new figures and its entries in the search index,
        which the check brings."""
        session = self.plugin.session
        session.figures.waits, session.search.waits = not at_once, at_once

    def _render(self, edition: Edition, file: str) -> None:
        source = edition.pages()[file]
        _populate_page(source.page, edition.config, edition.files)
        name_after_first_page(source, edition.language)
        self._write(edition, source)

    def _write(self, edition: Edition, source: File) -> None:
        """Write a page that is rendered; who reads its file meanwhile reads the old one."""
        pages, whole = edition.files.documentation_pages(), Path(source.abs_dest_path)
        beside = whole.with_name(f".{whole.name}")
        source.abs_dest_path = str(beside)
        try:
            _build_page(source.page, edition.config, pages, edition.nav, edition.env)
            os.replace(beside, whole)
        finally:
            source.abs_dest_path = str(whole)

    def _check_after_edits(self) -> None:
        """In a thread: check the book once an edit is shown, then render what else has changed."""
        while True:
            self._edited.wait()
            while self._edited.is_set() and not self._stopped:
                self._edited.clear()
                time.sleep(PAUSE)
            if self._stopped:
                return
            try:
                self._check()
            except _EditedAgain:
                continue
            except Exception as error:  # the author goes on; the next edit tries again
                log.error(f"the book could not be checked: {error}")

    def _check(self) -> None:
        """Check the book, a page at a time; another edit ends it, and begins it anew."""
        session, edits = self.plugin.session, self._edits

        def give_way() -> None:
            while self._author_waits.is_set():
                time.sleep(0.01)
            if edits != self._edits or self._stopped:
                raise _EditedAgain

        @contextmanager
        def turn() -> Iterator[None]:
            give_way()
            with self._rendering:
                if edits != self._edits:
                    raise _EditedAgain
                yield

        outcome = pipeline.finish(session.started, between=give_way)
        places = [(e, file) for e in self.plugin.editions.values() for file in e.pages()]
        for edition, file in places:
            with turn():
                self._render_if_changed(edition, file, session.book)
        if self._titles != (titles := self._titles_now()):  # they stand in the navigation
            for edition, file in places:
                with turn():
                    self._write(edition, edition.pages()[file])
            self._titles = titles
        found = [p for problems in session.findings.problems.values() for p in problems]
        problems = without_duplicates([*outcome.problems, *found])
        with turn():
            if problems:
                log.error(summary.format_failures(problems))
            self._show(problems)
        if outcome.warnings:
            log.info(summary.format_warnings(outcome.warnings))
        log.info(summary.format_recheck(outcome, len(problems)))
        for edition in self.plugin.editions.values():
            # Takes a while, and nobody who edits waits for it: the next check writes it again.
            give_way()
            if search := edition.config.plugins.get("material/search"):
                site, pages = Path(edition.config.site_dir), edition.nav.pages
                session.search.write(search, pages, session.book, edition.language, site)

    def _titles_now(self) -> dict[tuple[str, str], str]:
        return {
            (language, file): str(source.page.title)
            for language, edition in self.plugin.editions.items()
            for file, source in edition.pages().items()
        }

    def _render_if_changed(self, edition: Edition, file: str, book: Book) -> None:
        """Render a page that shows what was edited elsewhere, or earlier figures."""
        session = self.plugin.session
        if not book.still_has(session.reads.get((edition.language, file), {})):
            self._render(edition, file)
        elif (edition.language, file) in session.figures.earlier:
            self._write(edition, edition.pages()[file])

    def _show(self, problems: list[Problem]) -> None:
        """Put problems on their pages, and take them off those that have none any more."""
        pages = {page for problem in problems for page in problem.pages or self._home_pages()}
        for edition in self.plugin.editions.values():
            for file in (self._with_problems | pages) & edition.pages().keys():
                self._write(edition, edition.pages()[file])  # without the box of last time
        first = self.plugin.editions[self.plugin.settings.default.code]
        show_problems(problems, Path(first.config.site_dir), self.plugin.settings)
        self._with_problems = pages
        self._say(checked=True)

    def _home_pages(self) -> list[str]:
        book = self.plugin.book
        return [book.page_file("index", language) for language in book.config.codes]

    def _say(self, checked: bool) -> None:
        """Write for the browser whether the last edit is checked, and which pages fail."""
        first = self.plugin.editions[self.plugin.settings.default.code]
        failing = [
            "/"
            + self.plugin.settings.prefix(language)
            + edition.pages()[file].url.removeprefix("./")
            for language, edition in self.plugin.editions.items()
            for file in sorted(self._with_problems & edition.pages().keys())
        ]
        write_status(Path(first.config.site_dir), self._edits, checked, failing)

    def _other_files(self) -> dict[str, tuple[int, int]]:
        """Size and time of each watched file that is no text of the book."""
        book = self.plugin.session.book
        return self._watcher.other_files({str(book.root / name) for name in book.sources})


def _pages_of(changed: Iterable[str], book: Book) -> Iterator[str]:
    """The pages that changed, and those that show a script of which a file changed."""
    for name in changed:
        if name.endswith(".md"):
            yield name
        elif name.startswith("snippets/"):
            stem = name.partition(".")[0]
            yield from book.pages_showing(f"{stem}.py")
