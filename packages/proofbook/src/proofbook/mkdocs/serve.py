"""`mkdocs serve` for an author: an edited page is shown at once, the rest of the book after it.

MkDocs builds the whole site for each edit. Here an edit of pages or snippets renders the pages that
show it, into the served site; then, in a thread, the book is checked, and everything
else has changed is rendered. Any other edit (a setting, the theme, a new page) is a whole build.
"""

from __future__ import annotations

import contextlib
import html
import json
import logging
import os
import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import jinja2
from markdown import Markdown
from mkdocs.commands.build import get_context
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.livereload import LiveReloadServer
from mkdocs.structure.files import File, Files
from mkdocs.structure.nav import Navigation
from watchdog.events import FileSystemEvent, FileSystemEventHandler
from watchdog.observers import Observer
from watchdog.observers.polling import PollingObserver

from proofbook import pipeline
from proofbook.api.documentation import known_documentation
from proofbook.cli import summary
from proofbook.mkdocs.editions import name_after_first_page
from proofbook.mkdocs.material import show_problems
from proofbook.mkdocs.site_folder import write_atomically
from proofbook.model.book import Book
from proofbook.model.config import in_language
from proofbook.model.problem import Problem, Unproved, without_duplicates
from proofbook.model.sources import FOLDERS

if TYPE_CHECKING:
    from proofbook.mkdocs.plugin import ProofbookPlugin
    from proofbook.mkdocs.session import Session

log = logging.getLogger("mkdocs.proofbook")

_CODE = "```python\nx = 1\n```\n"

STATUS = "proofbook-status.json"
"""The file of the served site with the state of the check; `live.js` reads it."""
_SCRIPT = Path(__file__).with_name("live.js")
_WORDS = {"zh": "这次修改还在核对", "en": "This edit is being checked"}

PAUSE = 0.5
"""Seconds without an edit after which the book is checked."""


@dataclass(frozen=True)
class Edition:
    """An edition as MkDocs last built it, with everything needed to render one of its pages
    again."""

    language: str
    config: MkDocsConfig
    files: Files
    nav: Navigation
    env: jinja2.Environment

    def pages(self) -> dict[str, File]:
        """The files of its pages, by their path in the book."""
        return {f"docs/{file.src_uri}": file for file in self.files.documentation_pages()}

    def render(self, file: str) -> None:
        """Render a page again and write it, with MkDocs' events for a page."""
        source, config, files = self.pages()[file], self.config, self.files
        events, page = config.plugins, source.page
        page = events.on_pre_page(page, config=config, files=files)
        page.read_source(config)
        page.markdown = events.on_page_markdown(
            page.markdown, page=page, config=config, files=files
        )
        page.render(config, files)
        page.content = events.on_page_content(page.content, page=page, config=config, files=files)
        name_after_first_page(source, self.language)
        self.write(file)

    def write(self, file: str) -> None:
        """Write a rendered page atomically."""
        source, config, nav = self.pages()[file], self.config, self.nav
        page = source.page
        page.active = True  # in the navigation
        try:
            context = get_context(nav, self.files.documentation_pages(), config, page)
            template = self.env.get_template(page.meta.get("template", "main.html"))
            context = config.plugins.on_page_context(context, page=page, config=config, nav=nav)
            output = config.plugins.on_post_page(template.render(context), page=page, config=config)
        finally:
            page.active = False
        write_atomically(Path(source.abs_dest_path), output)


def warm_up(session: Session, editions: Iterable[Edition]) -> None:
    """Load the modules that the first edit needs and a build of cached pages did not; takes
    seconds, while the build waits for its scripts anyway."""
    known_documentation(session.book)
    session.search.segmenter.tokenizer()
    for edition in editions:
        extensions, options = edition.config.markdown_extensions, edition.config.mdx_configs
        Markdown(extensions=extensions, extension_configs=options).convert(_CODE)


class _EditedAgain(Exception):
    """The book was edited again during a check."""


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
    _watched: list[str] = field(default_factory=list)

    def start(self) -> None:
        """Take over from MkDocs: the watched files, and the handling of an edit."""
        self.server.builder = self.rebuild
        root = self.plugin.book.root
        own = [str(root / folder) for folder in FOLDERS if (root / folder).is_dir()]
        config = next(iter(self.plugin.editions.values())).config
        self._watched = watch(self.server, config, own)
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
        """Show an edit: render the pages that show the changed files, or build everything."""
        self._author_waits.set()
        try:
            with self._rendering:
                self._show_edit()
        except Exception as error:
            self._say_failed(error)
        finally:
            self._author_waits.clear()

    def _say_failed(self, error: Exception) -> None:
        """Report an edit that could not be shown, in the terminal and on the pages; the server
        continues, and the next edit builds everything."""
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
                edition.render(file)
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
        """Whether a page is written without its new figures, which the check adds."""
        self.plugin.session.labs.waits = not at_once

    def _check_after_edits(self) -> None:
        """In a thread: check the book once an edit is shown, then render everything else that has
        changed."""
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
            except Exception as error:  # the author continues; the next edit tries again
                log.error(f"the book could not be checked: {error}")

    def _check(self) -> None:
        """Check the book, a page at a time; another edit stops and restarts it."""
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
        if self._titles != (titles := self._titles_now()):  # they are in the navigation
            for edition, file in places:
                with turn():
                    edition.write(file)
            self._titles = titles
        found = [p for problems in session.findings.problems.values() for p in problems]
        found += session.labs.problems(session.book, outcome.results)
        problems = without_duplicates([*outcome.problems, *found])
        with turn():
            if problems:
                log.error(summary.format_failures(problems))
            self._show(problems)
        if outcome.warnings:
            log.info(summary.format_warnings(outcome.warnings))
        log.info(summary.format_recheck(outcome, len(problems)))
        for edition in self.plugin.editions.values():
            # Takes a while, and an author doesn't need it: the next check writes it again.
            give_way()
            site = Path(edition.config.site_dir)
            session.search.write(site, session.book, edition.language)

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
            edition.render(file)
        elif (edition.language, file) in session.labs.earlier:
            edition.write(file)

    def _show(self, problems: list[Problem]) -> None:
        """Show problems on their pages, and remove them from pages that no longer have any."""
        pages = {page for problem in problems for page in problem.pages or self._home_pages()}
        for edition in self.plugin.editions.values():
            for file in (self._with_problems | pages) & edition.pages().keys():
                edition.write(file)  # without the previous box
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
        """Size and time of each watched file that is not a text of the book."""
        book = self.plugin.session.book
        return other_files(self._watched, {str(book.root / name) for name in book.sources})


def _pages_of(changed: Iterable[str], book: Book) -> Iterator[str]:
    """The pages that changed, and those that show a script of which a file changed."""
    for name in changed:
        if name.endswith(".md"):
            yield name
        elif name.startswith("snippets/"):
            stem = name.partition(".")[0]
            yield from book.pages_showing(f"{stem}.py")


CHANGES = ("created", "modified", "deleted", "moved")
"""Events after which a file may have changed; opening and closing don't count."""


class _Changes(FileSystemEventHandler):
    """Passes on events that may have changed an existing file."""

    def __init__(self, handler: FileSystemEventHandler) -> None:
        self._handler = handler

    def on_any_event(self, event: FileSystemEvent) -> None:
        if event.event_type in CHANGES and not _is_passing(os.fsdecode(event.src_path)):
            self._handler.dispatch(event)


class _OnlyChanges:
    """An observer of files that reports only changes."""

    def schedule(self, event_handler: FileSystemEventHandler, path: str, **options: Any) -> Any:
        return super().schedule(_Changes(event_handler), path, **options)


class _SystemObserver(_OnlyChanges, Observer):
    """Uses the system's change notifications."""


class _Poller(_OnlyChanges, PollingObserver):
    """Polls all files."""


def watch(server: LiveReloadServer, config: MkDocsConfig, folders: Iterable[str]) -> list[str]:
    """Make a server of MkDocs, which by itself polls all files twice a second, use the system's
    change notifications; returns the watched paths, with `folders`."""
    watched = []
    for path in (config.docs_dir, config.config_file_path, *config.theme.dirs):
        with contextlib.suppress(KeyError):  # the theme's only if requested
            server.unwatch(path)
            watched.append(path)
    server.observer = _observer()
    # MkDocs watches the settings' paths after this, perhaps too late for the first edit.
    watched = list(dict.fromkeys([*watched, *folders, *config.watch]))
    for path in watched:
        server.watch(path)
    return watched


def _observer() -> _SystemObserver | _Poller:
    try:
        observer = _SystemObserver()
        observer.schedule(FileSystemEventHandler(), os.getcwd(), recursive=False)
        observer.unschedule_all()
        return observer
    except OSError:  # too many files for inotify
        return _Poller(timeout=0.2)


def other_files(watched: Iterable[str], texts: Collection[str]) -> dict[str, tuple[int, int]]:
    """Size and time of each watched file that is not one of `texts`."""
    found = {}
    for file in (file for path in watched for file in _files_below(os.path.abspath(path))):
        if file not in texts and not _is_passing(file):
            with contextlib.suppress(OSError):  # it is gone, or a broken link
                status = os.stat(file)
                found[file] = status.st_size, status.st_mtime_ns
    return found


def _is_passing(path: str) -> bool:
    """Whether a file is temporary: of an editor, of Python."""
    name = os.path.basename(path)
    return name.startswith(".") or name.endswith(("~", ".pyc", ".new")) or "__pycache__" in path


def _files_below(path: str) -> Iterator[str]:
    if os.path.isfile(path):
        yield path
    for folder, folders, names in os.walk(path):
        folders[:] = [name for name in folders if not name.startswith((".", "__pycache__"))]
        yield from (os.path.join(folder, name) for name in names)


def write_status(site: Path, edits: int, checked: bool, failing: Sequence[str]) -> None:
    """Write the number of edits shown, whether the last is checked, and which pages fail, by their
    addresses."""
    said = {"edits": edits, "checked": checked, "failing": failing}
    write_atomically(site / STATUS, json.dumps(said))


def with_status(output: str, config: MkDocsConfig, language: str) -> str:
    """The HTML of a page with the script that shows whether the last edit is checked."""
    root = urlsplit(config.extra["book_url"] or "/").path or "/"
    words = html.escape(in_language(_WORDS, language))
    script = _SCRIPT.read_text("utf-8")
    tag = f'<script data-status="{root}{STATUS}" data-words="{words}">{script}</script>'
    return output.replace("</body>", f"{tag}</body>", 1)
