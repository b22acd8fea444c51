"""`mkdocs serve` for an author: an edited page is shown at once, the rest of the book after it.

MkDocs builds the whole site for each edit. Here an edit of pages or snippets renders the pages that
show it, into the served site; then, in a thread, the book is checked, and everything
else has changed is rendered. Any other edit (a setting, the theme, a new page) is a whole build.
"""

from __future__ import annotations

import contextlib
import logging
import os
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import jinja2
from markdown import Markdown
from mkdocs.commands.build import get_context
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.livereload import LiveReloadServer
from mkdocs.structure.files import File, Files
from mkdocs.structure.nav import Navigation
from watchdog.events import FileSystemEvent, FileSystemEventHandler
from watchdog.observers import Observer
from watchdog.observers.api import BaseObserver
from watchdog.observers.polling import PollingObserver

from proofbook import pipeline, summary
from proofbook.api.documentation import known_documentation
from proofbook.mkdocs.editions import name_after_first_page
from proofbook.mkdocs.material import with_problems
from proofbook.mkdocs.messages import PART_OF
from proofbook.model.book import Book
from proofbook.model.config import in_language
from proofbook.model.problem import Problem, Unproved
from proofbook.model.sources import FOLDERS
from proofbook.model.temporary import write_text

if TYPE_CHECKING:
    from proofbook.mkdocs.plugin import ProofbookPlugin
    from proofbook.mkdocs.session import Session

log = logging.getLogger("mkdocs.proofbook")

_CODE = "```python\nx = 1\n```\n"

PAUSE = 0.5
"""Seconds after an edit until the book is checked: there may be another."""
_UNCHECKED = (
    '<div class="unchecked" role="status" style="position:fixed;right:1rem;bottom:1rem;z-index:9;'
    "padding:.3rem .8rem;border-radius:1rem;font-size:.7rem;color:var(--md-default-bg-color);"
    'background:var(--md-default-fg-color--light)">{}</div></body>'
)
"""On a page that shows an edit, until the book is checked."""
_WORDS = {"zh": "这次修改还在核对", "en": "This edit is being checked"}
CHANGES = ("created", "modified", "deleted", "moved")
"""Events after which a file may have changed; opening and closing don't count."""


@dataclass(frozen=True)
class Edition:
    """An edition as MkDocs last built it, with all that renders one of its pages again."""

    language: str
    config: MkDocsConfig
    files: Files
    nav: Navigation
    env: jinja2.Environment

    def pages(self) -> dict[str, File]:
        """The files of its pages, by their path in the book."""
        return {f"docs/{file.src_uri}": file for file in self.files.documentation_pages()}

    def render(self, file: str, checked: bool = True) -> None:
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
        self.write(file, checked)
        for part, other in self.pages().items():
            if other.page.meta.get(PART_OF) == file:
                self.write(part, checked)

    def write(self, file: str, checked: bool = True, problems: Sequence[Problem] = ()) -> None:
        """Write a rendered page, with its problems; it says so if it is not `checked`."""
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
        if not checked:
            note = _UNCHECKED.format(in_language(_WORDS, self.language))
            output = output.replace("</body>", note, 1)
        if problems:
            output = with_problems(output, problems, self.language)
        write_text(Path(source.abs_dest_path), output)


def warm_up(session: Session, editions: Iterable[Edition]) -> None:
    """Load the modules that the first edit needs and a build of cached pages did not; takes
    seconds, while the build waits for its scripts anyway."""
    known_documentation(session.book)
    if "zh" in session.book.config.codes:
        session.search.tokenizer()
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
    _stopped: bool = False
    _edits: int = 0
    _paths: set[str] = field(default_factory=set)
    """The files that were edited since the last edit was shown."""
    _failed: bool = False
    """Whether the last edit could not be shown; the next one builds everything."""
    _titles: dict[tuple[str, str], str] = field(default_factory=dict)
    _reload: tempfile.TemporaryDirectory = field(default_factory=tempfile.TemporaryDirectory)
    """A watched folder: a new file in it makes the browsers load their pages again."""

    def start(self) -> None:
        """Take over from MkDocs: the watched files, and the handling of an edit."""
        self.server.builder = self.rebuild
        root = self.plugin.book.root
        own = [str(root / folder) for folder in FOLDERS if (root / folder).is_dir()]
        config = next(iter(self.plugin.editions.values())).config
        watch(self.server, config, [*own, self._reload.name], self._paths)
        self.plugin.session.labs.waits = False
        self._titles = self._titles_now()
        self._thread = threading.Thread(target=self._check_after_edits, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End the thread that checks."""
        self._stopped = True
        self._edited.set()
        self._thread.join(timeout=30)
        self._reload.cleanup()

    def rebuild(self) -> None:
        """Show an edit: render the pages that show the changed files, or build everything.

        One that cannot be shown is reported, in the terminal and on the pages, which stay.
        """
        try:
            with self._rendering:
                self._show_edit()
        except Exception as error:
            self._failed = True
            why = str(error) or type(error).__name__
            log.error(f"{why}\nthe pages stay as they were until the next edit")
            log.debug("where it failed:", exc_info=True)
            with contextlib.suppress(OSError):
                self._show(list(error.problems) if isinstance(error, Unproved) else [])

    def _show_edit(self) -> None:
        began, edited = time.monotonic(), set()
        while self._paths:
            edited.add(os.path.realpath(self._paths.pop()))
        session = self.plugin.session
        book = session.book.reopened()
        changed = book.changed_since(session.book)
        edited -= {str(book.root / name) for name in book.sources.keys() | changed}
        own = os.path.realpath(self._reload.name)
        known = {file.abs_src_path for each in self.plugin.editions.values() for file in each.files}
        others = any(  # not a temporary file of an editor, which is gone by now
            os.path.dirname(path) != own and (path in known or os.path.exists(path))
            for path in edited
        )
        if self._failed or others or book.page_files != session.book.page_files:
            self._build_everything()
        elif changed:
            session.adopt(book)
            self._edits += 1
            shown = set(_pages_of(changed, book))
            self.plugin.noted |= shown
            for edition in self.plugin.editions.values():
                for file in shown & edition.pages().keys():
                    edition.render(file, checked=False)
            seconds = time.monotonic() - began
            names = ", ".join(sorted(changed)[:3]) + (" ..." if len(changed) > 3 else "")
            log.info(f"{names}: shown after {seconds:.1f} s; the book is being checked")
            self._edited.set()

    def _build_everything(self) -> None:
        self._edits += 1
        labs = self.plugin.session.labs
        labs.waits = True
        try:
            self.build()
        finally:
            labs.waits = False
        self._failed = False
        self._titles = self._titles_now()

    def _check_after_edits(self) -> None:
        """In a thread: check the book once an edit is shown, then render what else has changed."""
        while not self._stopped:
            self._edited.wait()
            self._edited.clear()
            time.sleep(PAUSE)
            try:
                self._check()
            except _EditedAgain:
                continue
            except Exception as error:  # the author continues; the next edit tries again
                log.error(f"the book could not be checked: {error}")

    def _check(self) -> None:
        """Check the book, a page at a time; another edit stops and restarts it."""
        session, edits = self.plugin.session, self._edits

        @contextmanager
        def turn() -> Iterator[None]:
            time.sleep(0.001)  # an edit that waits to be shown comes first
            with self._rendering:
                if edits != self._edits or self._stopped:
                    raise _EditedAgain
                yield

        def give_way() -> None:
            with turn():
                pass

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
        problems = session.problems(outcome)
        with turn():
            if problems:
                log.error(summary.format_failures(problems))
            self._show(problems)
        if outcome.warnings:
            log.info(summary.format_warnings(outcome.warnings))
        log.info(summary.format_recheck(outcome, len(problems)))
        Path(self._reload.name, str(edits)).touch()
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
        session, place = self.plugin.session, (edition.language, file)
        if not book.still_has(session.reads.get(place, {})):
            edition.render(file)
        elif place in session.labs.earlier:
            edition.write(file)

    def _show(self, problems: list[Problem]) -> None:
        """Show problems on their pages, and remove them from pages that no longer have any."""
        plugin = self.plugin
        plugin.noted = show_problems(problems, plugin.editions.values(), plugin.book, plugin.noted)


def show_problems(
    problems: Iterable[Problem], editions: Iterable[Edition], book: Book, noted: Set[str]
) -> set[str]:
    """Write the pages with problems, and those in `noted`, which had some or were not checked;
    returns the files of the former."""
    homes = [book.page_file("index", language) for language in book.config.codes]
    by_page: dict[str, list[Problem]] = {}
    for problem in problems:
        for page in problem.pages or homes:
            by_page.setdefault(page, []).append(problem)
    for edition in editions:
        for file in (noted | by_page.keys()) & edition.pages().keys():
            edition.write(file, problems=by_page.get(file, []))
    return set(by_page)


def _pages_of(changed: Iterable[str], book: Book) -> Iterator[str]:
    """The pages that changed, and those that show a script of which a file changed."""
    for name in changed:
        if name.endswith(".md"):
            yield name
        elif name.startswith("snippets/"):
            stem = name.partition(".")[0]
            yield from book.pages_showing(f"{stem}.py")


@dataclass(eq=False)
class _Changes(FileSystemEventHandler):
    """Passes on events after which a file may have changed, and notes its path in `paths`."""

    handler: FileSystemEventHandler
    paths: set[str]

    def on_any_event(self, event: FileSystemEvent) -> None:
        """Called by watchdog for each event."""
        found = {os.fsdecode(path) for path in (event.src_path, event.dest_path) if path}
        found = {path for path in found if not _is_temporary(path)}
        if event.event_type in CHANGES and not event.is_directory and found:
            self.paths |= found
            self.handler.dispatch(event)


def _is_temporary(path: str) -> bool:
    """Whether a file is temporary: of an editor, of Python."""
    name = os.path.basename(path)
    return name.startswith(".") or name.endswith(("~", ".pyc", ".new"))


def watch(
    server: LiveReloadServer, config: MkDocsConfig, folders: Iterable[str], paths: set[str]
) -> None:
    """Make a server of MkDocs, which by itself polls all files twice a second, use the system's
    change notifications, for `folders` too; the paths of changed files are noted in `paths`."""
    watched = []
    for path in (config.docs_dir, config.config_file_path, *config.theme.dirs):
        with contextlib.suppress(KeyError):  # the theme's only if requested
            server.unwatch(path)
            watched.append(path)
    server.observer = observer = _observer()
    schedule = observer.schedule
    observer.schedule = lambda handler, *where, **how: schedule(
        _Changes(handler, paths), *where, **how
    )
    # MkDocs watches the settings' paths after this, perhaps too late for the first edit.
    for path in dict.fromkeys([*watched, *folders, *config.watch]):
        server.watch(path)


def _observer() -> BaseObserver:
    try:
        observer = Observer()
        observer.schedule(FileSystemEventHandler(), os.getcwd())
        observer.unschedule_all()
        return observer
    except OSError:  # the system allows no more of them
        return PollingObserver(timeout=0.2)
