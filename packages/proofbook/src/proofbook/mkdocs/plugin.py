"""The MkDocs plugin: expands, proves and finishes the pages of a book in each of its languages.

A build goes to a folder next to `site_dir` and replaces the old site only when everything
is proved and nothing else failed.
"""

from __future__ import annotations

import contextlib
import logging
import sys
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

import jinja2
from gradtrace import PLAYER_ASSETS, read_asset
from markupsafe import escape
from mkdocs.commands.build import build
from mkdocs.config.config_options import Optional, Type
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import Abort, PluginError
from mkdocs.livereload import LiveReloadServer
from mkdocs.plugins import BasePlugin, CombinedEvent, event_priority
from mkdocs.structure.files import File, Files
from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page
from mkdocs.utils import get_relative_url

from proofbook.content import messages
from proofbook.content.glossary import known_terms
from proofbook.content.page_summary import answer
from proofbook.directives import plot
from proofbook.export import notebook, site_files
from proofbook.html import exercises
from proofbook.html.page import site_markdown
from proofbook.maths.check import wrong_formula
from proofbook.mkdocs.editions import (
    EDITION,
    EditionFiles,
    alternates,
    config_of_edition,
    file_in_edition,
    name_after_first_page,
    nav_in_language,
    notebook_path,
    offered_from,
    place_of,
    source_of,
    write_site_files,
)
from proofbook.mkdocs.labs import is_lab
from proofbook.mkdocs.material import fit_for_files, one_style_sheet, without_inline_scripts
from proofbook.mkdocs.messages import place_messages
from proofbook.mkdocs.search_index import replace_worker
from proofbook.mkdocs.serve import Edition, LiveSite, show_problems, warm_up
from proofbook.mkdocs.session import Findings, Session, SiteFolder, prove, write_shared_files
from proofbook.model.book import Book
from proofbook.model.config import OPTIONS, BookConfig
from proofbook.model.page import parse
from proofbook.model.problem import Unproved, format_problems, no_room
from proofbook.model.temporary import write_text

log = logging.getLogger("mkdocs.proofbook")


class ProofbookPlugin(BasePlugin):
    """One instance serves all editions and all builds of a process, like MkDocs plugins with
    `on_startup`. The first edition builds the others, and decides whether the new site replaces the
    old one."""

    config_scheme = tuple((name, Optional(Type(types))) for name, types in OPTIONS.items())

    def __init__(self) -> None:
        super().__init__()
        self.session: Session | None = None
        self.serving = False
        self.target: SiteFolder | None = None
        self.navigation: dict[str, Navigation] = {}
        self.editions: dict[str, Edition] = {}
        self.live: LiveSite | None = None
        self.noted: set[str] = set()
        """The served pages with problems, or with the note that they are not checked."""

    @property
    def book(self) -> Book:
        """The book that is built."""
        return self.session.book

    @property
    def settings(self) -> BookConfig:
        """The settings of the book that is built."""
        return self.session.book.config

    def language(self, config: MkDocsConfig) -> str:
        """The language of the edition with these settings."""
        return config.extra.get(EDITION, self.settings.default.code)

    def is_first(self, config: MkDocsConfig) -> bool:
        """Whether these settings are for the edition of the first language."""
        return self.language(config) == self.settings.default.code

    # --- events of MkDocs, in their order

    def on_startup(self, *, command: str, dirty: bool) -> None:
        for talkative in ("jieba", "mkdocs.mkdocs-jupyter"):
            logging.getLogger(talkative).setLevel(logging.WARNING)
        # `mkdocs serve --clean` reports itself as a build.
        self.serving = command == "serve" or "serve" in sys.argv

    @event_priority(100)
    def on_config(self, config: MkDocsConfig) -> MkDocsConfig:
        root = Path(config.config_file_path).parent
        if EDITION not in config.extra:
            self._start(root, config)
        language = self.language(config)
        codes, docs = self.settings.codes, Path(config.docs_dir)
        config.nav = nav_in_language(config.nav, language, codes, docs)
        if not config.repo_url:  # MkDocs would warn of an edit path without a repository
            config.edit_uri = config.edit_uri_template = None
        fit_for_files(config)
        return config

    def _start(self, root: Path, config: MkDocsConfig) -> None:
        """Read the book and start its scripts; build next to the existing site."""
        if Path(config.config_file_path).stem.count("."):  # mkdocs.en.yml
            raise PluginError("this edition is not built alone: mkdocs.yml builds all of them")
        try:
            if self.session is None:
                self.session = Session(root, self.serving)
            else:
                self.session.adopt(self.book.reopened())
        except Unproved as error:
            raise PluginError(str(error)) from error
        self.session.findings = Findings()
        self.session.search.learn(self.book.fact(known_terms))
        config.extra["book_url"] = config.site_url
        config.extra["root_url"] = urlsplit(config.site_url or "/").path or "/"
        if self.serving:
            return
        self.target = SiteFolder(config)

    @event_priority(-50)  # after mkdocs-jupyter, which replaces notebooks by its own files
    def on_files(self, files: Files, *, config: MkDocsConfig) -> Files:
        language = self.language(config)
        own = (file_in_edition(file, language, self.book, config) for file in files)
        assets = [
            File.generated(config, f"assets/{name}", content=read_asset(name))
            for name in PLAYER_ASSETS
        ]
        reader = File.generated(config, f"assets/{exercises.ASSET}", content=exercises.asset())
        paste = File.generated(config, f"assets/{messages.PROGRAM}", content=messages.program())
        found = EditionFiles([*filter(None, own), *assets, reader, paste], language, self.book)
        self.session.search.begin(language)
        replace_worker(found, config)
        return found

    def on_nav(self, nav: Navigation, *, config: MkDocsConfig, files: Files) -> None:
        language = self.language(config)
        self.navigation[language] = nav
        self.session.pages.begin(language, config, files, self.book)

    @event_priority(100)  # before mkdocs-jupyter, which takes a notebook by its path
    def on_pre_page(self, page: Page, *, config: MkDocsConfig, files: Files) -> Page:
        source, path = source_of(page.file), notebook_path(page.file, self.book)
        if source in self.session.labs.pages:  # its last rendering
            self.session.labs.pages.remove(source)
            page.file.abs_src_path = str(Path(config.docs_dir, page.file.src_uri))
        if path and is_lab(self.book.page(source), Path(config.site_dir, path), config):
            with contextlib.suppress(Unproved):  # reported with all other problems
                page.file.abs_src_path = str(self._write_notebook(page, path, config))
                self.session.labs.pages.add(source)
        return page

    def on_page_read_source(self, *, page: Page, config: MkDocsConfig) -> str | None:
        if (source := source_of(page.file)) in self.session.labs.pages:
            return self.book.text(source)
        try:
            page.file.content_string  # noqa: B018
        except UnicodeDecodeError:
            return "\n"  # reported at the end, like all problems
        return None

    def _expand(self, markdown: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
        source = source_of(page.file)
        known = source in self.book.page_files
        summary = answer(self.book.page(source) if known else parse(source, markdown, False))
        described = {"description": summary or config.site_description, **page.meta}
        for name in ("description", "author"):  # Material writes them unescaped
            if described.get(name):
                page.meta[name] = escape(described[name])
        if not known:
            return markdown  # a notebook, say
        language, own = self.language(config), self.book.page(source).language
        if page.canonical_url and own != language:
            addresses = self._alternates(page.file, config)
            page.canonical_url = next(x["whole"] for x in addresses if x["language"] == own)
        # A lab's page is rendered like any other; mkdocs-jupyter renders its notebook.
        in_notebook = vars(page).pop("render", None)
        reads = self.session.reads[language, source] = {}
        text = self.book.text(source)
        if not text.endswith(markdown):
            log.warning(f"{source}: another plugin changes its Markdown, which is not expanded")
            return markdown
        try:
            start = len(text) - len(markdown)
            expanded = self.book.noting(reads).remember(site_markdown, source, start)
        except Unproved:
            self.session.findings.unshown.add(source)
            return markdown  # the problems are reported once, with their lines, at the end
        self.session.findings.unshown.discard(source)
        if path := notebook_path(page.file, self.book):
            target = self._write_notebook(page, path, config)
            data = self.book.remember(site_files.figure_data, source)
            site_files.write_data(target.parent, data)
        if source in self.session.labs.pages:
            self.session.labs.execute(page, in_notebook, config, files, self.book)
        return expanded

    @event_priority(-100)  # after all that change the Markdown
    def _leave_cached(
        self, markdown: str, *, page: Page, config: MkDocsConfig, files: Files
    ) -> str:
        if source_of(page.file) not in self.book.page_files:
            return markdown
        return self.session.pages.to_render(markdown, page, self.language(config))

    on_page_markdown = CombinedEvent(_expand, _leave_cached)

    @event_priority(100)
    def _take_cached(self, content: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
        return self.session.pages.rendered(content, page, files, self.language(config))

    def _finish(self, content: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
        source, findings = source_of(page.file), self.session.findings
        language, published = self.language(config), self._published(config)
        if source not in self.book.page_files:
            self.session.search.add(page, content, language)
            return content
        place = place_of(page, config, files, self.book, language, published)
        finished, reads = self.session.pages.finished(content, self.book, place)
        self.session.reads[place.language, source] |= reads
        findings.letters[source] = finished.formula_characters
        source_page = self.book.page(source)
        findings.problems[source] = [
            wrong_formula(source_page, *each) for each in finished.wrong_formulas
        ]
        self.session.search.add(page, finished.html, language)
        return finished.html

    on_page_content = CombinedEvent(_take_cached, _finish)

    def on_env(self, env: jinja2.Environment, *, config: MkDocsConfig, files: Files):
        language = self.language(config)
        for file in files.documentation_pages():
            name_after_first_page(file, language)
        self._place_messages(config, files)
        if self.serving:
            nav = self.navigation[language]
            self.editions[language] = Edition(language, config, files, nav, env)
        return env

    def on_page_context(self, context, *, page: Page, config: MkDocsConfig, nav: Navigation):
        context["alternates"] = self._alternates(page.file, config)
        language = self.language(config)
        context["subtitle"] = self.settings.language(language).subtitle
        if language in self.editions:  # an edit of a served page
            self._place_messages(config, self.editions[language].files)
        if self._published(config):
            if source_of(page.file) in self.book.page_files:
                context["markdown"] = site_files.MARKDOWN
            context["offered"] = offered_from(page.url, language, self.book)
        return context

    def on_post_page(self, output: str, *, page: Page, config: MkDocsConfig) -> str:
        """Put in the figures last: by now their scripts have run, and search is done."""
        language, source = self.language(config), source_of(page.file)
        output = self.session.labs.fill(output, language, source)
        if source in self.book.page_files:
            drawn = plot.data_files(self.book.page(source), self.session.labs.variants)
            site_files.write_data(Path(page.file.abs_dest_path).parent, drawn)
        root = get_relative_url(".", page.url).rstrip("/")
        return without_inline_scripts(output, Path(config.site_dir), f"{root}/")

    def on_post_template(self, output: str, *, template_name: str, config: MkDocsConfig) -> str:
        """The page of a missing address, which is shown at any address."""
        if not template_name.endswith(".html"):
            return output
        root = urlsplit(config.site_url or "/").path
        return without_inline_scripts(output, Path(config.site_dir), root)

    def on_template_context(self, context, *, template_name: str, config: MkDocsConfig):
        context["alternates"] = self._alternates(None, config)
        context["alternates_of"] = lambda file: self._alternates(file, config)  # for the sitemap
        return context

    @event_priority(-50)  # after Material wrote the settings of the search, before it copies them
    def _write_index(self, *, config: MkDocsConfig) -> None:
        self.session.search.write(Path(config.site_dir), self.book, self.language(config))

    @event_priority(-100)
    def _end_build(self, *, config: MkDocsConfig) -> None:
        language, site = self.language(config), Path(config.site_dir)
        one_style_sheet(site)
        if self._published(config):
            nav, unshown = self.navigation[language], self.session.findings.unshown
            write_site_files(config, nav, language, self.book, unshown)
        if self.is_first(config):
            warned = self._build_others(config)
            write_shared_files(self.session, site)
            if self.serving:
                warm_up(self.session, self.editions.values())
            problems = prove(self.session, warned)
            if self.serving:
                self.noted = show_problems(problems, self.editions.values(), self.book, set())
            if self.target:
                self.target.proved = True

    on_post_build = CombinedEvent(_write_index, _end_build)

    def on_serve(self, server: LiveReloadServer, *, config: MkDocsConfig, builder: Callable):
        """From now on show an edited page at once, and check the book after that."""
        self.live = LiveSite(self, server, builder)
        self.live.start()
        return server

    def on_build_error(self, *, error: Exception) -> None:
        if self.target:
            self.target.proved = False
        if isinstance(error, OSError):
            log.error(format_problems([no_room(error)]))
            raise Abort("the book could not be built; the last good site stays")

    def on_shutdown(self) -> None:
        """The last event, also after a failure: only now may the new site replace the old one."""
        if self.live is not None:
            self.live.stop()
        session, target = self.session, self.target
        self.session = self.target = self.live = None
        self.navigation, self.editions = {}, {}
        if session is not None:
            session.close()
        if target is not None:
            target.finish()

    # --- helpers

    def _build_others(self, config: MkDocsConfig) -> Abort | None:
        """Build the editions in other languages; returns the warnings that end a strict build."""
        warned = None
        for language in self.settings.codes[1:]:
            try:
                build(config_of_edition(language, config))
            except Abort as error:  # its warnings are shown; the problems should be too
                warned = error
        return warned

    def _place_messages(self, config: MkDocsConfig, files: Files) -> None:
        source = self.book.page_file(self.settings.messages, self.language(config))
        if index := files.get_file_from_path(source.removeprefix("docs/")):
            place_messages(index, config, files, self.book)

    def _alternates(self, file: File | None, config: MkDocsConfig) -> list[dict]:
        return alternates(file, self.language(config), self.book, config)

    def _write_notebook(self, page: Page, path: str, config: MkDocsConfig) -> Path:
        """Write the notebook of a page, at its path in its edition; returns its file."""
        target, site = Path(config.site_dir, path), notebook.site_of(config.extra["book_url"])
        source = self.book.page(source_of(page.file))
        made = notebook.notebook_text, source.file, source.language, site
        write_text(target, self.book.remember(*made))
        return target

    def _published(self, config: MkDocsConfig) -> bool:
        """Whether this build is for a host: not a site being served, nor the book as files."""
        return not self.serving and config.use_directory_urls
