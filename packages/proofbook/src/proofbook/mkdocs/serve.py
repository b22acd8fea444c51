"""`mkdocs serve` for an author: an edited page is shown at once, the rest of the book after it.

MkDocs builds the whole site for each edit. Here an edit of pages or snippets renders the pages that
show it, into the site that is being served; then, in a thread, the book is checked, and whatever
else has changed is rendered. Any other edit (a setting, the theme, a new page) is a whole build.
"""

from __future__ import annotations

import html
import json
import logging
import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import jinja2
from mkdocs.commands.build import _build_page, _populate_page
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.livereload import LiveReloadServer
from mkdocs.structure.files import File, Files
from mkdocs.structure.nav import Navigation
from watchdog.events import FileSystemEvent, FileSystemEventHandler
from watchdog.observers import Observer
from watchdog.observers.polling import PollingObserver

from proofbook import pipeline
from proofbook.cli import summary
from proofbook.mkdocs.material import show_problems
from proofbook.model.book import FOLDERS, Book
from proofbook.model.config import in_language
from proofbook.model.problem import Problem, Unproved, once

if TYPE_CHECKING:
    from proofbook.mkdocs.plugin import ProofbookPlugin

log = logging.getLogger("mkdocs.proofbook")

STATUS = "proofbook-status.json"
"""The file of the served site that says what is checked; `live.js` reads it."""

CHANGES = ("created", "modified", "deleted", "moved")
"""Events after which a file may be another; that it was opened or closed says nothing."""

_SCRIPT = Path(__file__).with_name("live.js")
_WORDS = {"zh": "这次修改还在核对", "en": "This edit is being checked"}

PAUSE = 0.3
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


@dataclass
class LiveSite:
    """The site while it is served. `build`: MkDocs' own build of everything."""

    plugin: ProofbookPlugin
    server: LiveReloadServer
    build: Callable[[], None]
    _rendering: threading.Lock = field(default_factory=threading.Lock)
    _edited: threading.Event = field(default_factory=threading.Event)
    _stopped: bool = False
    _edits: int = 0
    _others: dict[str, tuple[int, int]] = field(default_factory=dict)
    _titles: dict[tuple[str, str], str] = field(default_factory=dict)
    _with_problems: set[str] = field(default_factory=set)
    _thread: threading.Thread | None = None

    def start(self) -> None:
        """Take over from MkDocs: what is watched, and what an edit does."""
        watched = list(self.server._watched_paths)
        self.server._watched_paths.clear()
        self.server._watch_refs.clear()
        self.server.observer = _observer()
        self.server.watch = self._watch
        self.server.builder = self.rebuild
        root = self.plugin.book.root
        own = [str(root / folder) for folder in FOLDERS if (root / folder).is_dir()]
        for path in dict.fromkeys([*watched, *own]):
            self._watch(path)
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
        with self._rendering:
            began = time.monotonic()
            session, others = self.plugin.session, self._other_files()
            try:
                book = session.book.reopened()
            except Unproved as error:
                raise PluginError(str(error)) from error
            changed = book.changed_since(session.book)
            if others != self._others or book.page_files != session.book.page_files:
                self._others, self._with_problems = others, set()
                self.build()
                self._titles = self._titles_now()
                self._say(checked=True)
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

    def _render(self, edition: Edition, file: str) -> None:
        source = edition.pages()[file]
        _populate_page(source.page, edition.config, edition.files)
        self.plugin.name_after_first_page(source, edition.language)
        self._write(edition, source)

    def _write(self, edition: Edition, source: File) -> None:
        pages = edition.files.documentation_pages()
        _build_page(source.page, edition.config, pages, edition.nav, edition.env)

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
            except Exception as error:  # the author goes on; the next edit tries again
                log.error(f"the book could not be checked: {error}")

    def _check(self) -> None:
        session, edits = self.plugin.session, self._edits
        outcome = pipeline.finish(session.started)
        if edits != self._edits:
            return  # of a book that is no longer the one being edited
        for edition in self.plugin.editions.values():
            for file in edition.pages():
                with self._rendering:
                    if edits != self._edits:
                        return
                    self._render_if_changed(edition, file, session.book)
        if self._titles != (titles := self._titles_now()):  # they stand in the navigation
            with self._rendering:
                for edition in self.plugin.editions.values():
                    for source in edition.pages().values():
                        self._write(edition, source)
            self._titles = titles
        found = [p for problems in session.findings.problems.values() for p in problems]
        problems = once([*outcome.problems, *found])
        with self._rendering:
            if edits != self._edits:
                return
            self._show(problems)
        for edition in self.plugin.editions.values():
            # Takes a while, and nobody who edits waits for it: the next check writes it again.
            if edits != self._edits:
                return
            self.plugin.write_search_index(edition.config)
        if problems:
            log.error(summary.fails(problems))
        if outcome.warnings:
            log.info(summary.warns(outcome.warnings))
        log.info(summary.again(outcome, len(problems)))

    def _titles_now(self) -> dict[tuple[str, str], str]:
        return {
            (language, file): str(source.page.title)
            for language, edition in self.plugin.editions.items()
            for file, source in edition.pages().items()
        }

    def _render_if_changed(self, edition: Edition, file: str, book: Book) -> None:
        """Render a page whose content depends on what was edited elsewhere."""
        if not book.still_has(self.plugin.session.reads.get((edition.language, file), {})):
            self._render(edition, file)

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
        return [f"docs/index.{language}.md" for language in self.plugin.settings.codes]

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
        status: dict[str, Any] = {"edits": self._edits, "checked": checked, "failing": failing}
        Path(first.config.site_dir, STATUS).write_text(json.dumps(status), "utf-8")

    def _watch(self, path: str, func: None = None, *, recursive: bool = True) -> None:
        """As `LiveReloadServer.watch`, for an observer that also sees files being read."""
        path = os.path.abspath(path)
        if path in self.server._watched_paths:
            self.server._watched_paths[path] += 1
            return
        self.server._watched_paths[path] = 1
        handler = _Changes(self._wake)
        self.server._watch_refs[path] = self.server.observer.schedule(
            handler, path, recursive=recursive
        )

    def _wake(self) -> None:
        with self.server._rebuild_cond:
            self.server._want_rebuild = True
            self.server._rebuild_cond.notify_all()

    def _other_files(self) -> dict[str, tuple[int, int]]:
        """Size and time of each watched file that is no text of the book."""
        book = self.plugin.session.book
        texts = {str(book.root / name) for name in book.sources}
        found = {}
        for path in self.server._watched_paths:
            for file in _files_below(path):
                if file not in texts and not _is_passing(file):
                    status = os.stat(file)
                    found[file] = status.st_size, status.st_mtime_ns
        return found


def with_status(output: str, config: MkDocsConfig, language: str) -> str:
    """The HTML of a page with the script that says whether the last edit is checked."""
    root = urlsplit(config.extra["book_url"] or "/").path or "/"
    words = html.escape(in_language(_WORDS, language))
    script = _SCRIPT.read_text("utf-8")
    tag = f'<script data-status="{root}{STATUS}" data-words="{words}">{script}</script>'
    return output.replace("</body>", f"{tag}</body>", 1)


class _Changes(FileSystemEventHandler):
    """Calls a function after each event that may have changed a file."""

    def __init__(self, wake: Callable[[], None]) -> None:
        self._wake = wake

    def on_any_event(self, event: FileSystemEvent) -> None:
        if event.event_type in CHANGES and not _is_passing(os.fsdecode(event.src_path)):
            self._wake()


def _observer():
    """One that the system tells of changes; where it can't, one that looks every 0.2 s."""
    try:
        observer = Observer()
        observer.schedule(FileSystemEventHandler(), os.getcwd(), recursive=False)
        observer.unschedule_all()
        return observer
    except OSError:  # too many files for inotify
        return PollingObserver(timeout=0.2)


def _is_passing(path: str) -> bool:
    """Whether a file is one that comes and goes by itself: of an editor, of Python."""
    name = os.path.basename(path)
    return name.startswith(".") or name.endswith(("~", ".pyc", ".new")) or "__pycache__" in path


def _files_below(path: str) -> Iterator[str]:
    if os.path.isfile(path):
        yield path
    for folder, folders, names in os.walk(path):
        folders[:] = [name for name in folders if not name.startswith((".", "__pycache__"))]
        yield from (os.path.join(folder, name) for name in names)


def _pages_of(changed: Iterable[str], book: Book) -> Iterator[str]:
    """The pages that changed, and those that show a script of which a file changed."""
    for name in changed:
        if name.endswith(".md"):
            yield name
        elif name.startswith("snippets/"):
            stem = name.partition(".")[0]
            yield from book.users(f"{stem}.py")
