"""The HTML of each page: made once for its Markdown and all else that it depends on, and kept for
the next build, also that of another process."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import Files
from mkdocs.structure.pages import Page

from proofbook.html.finish import FinishedPage, finish_page
from proofbook.html.page_context import Place, page_context
from proofbook.markdown.highlight import RememberingExtension
from proofbook.mkdocs.kept import Kept, digest
from proofbook.mkdocs.made_by import settings_digest
from proofbook.model.book import Book
from proofbook.model.memo import Reads

HIGHLIGHT = "pymdownx.highlight"

_RENDERED = ("content", "toc", "_title_from_render", "present_anchor_ids")
"""What `Page.render` sets, besides the links to anchors in other files."""


class _Warned(logging.Handler):
    """Notes whether anything was complained about."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.any = False

    def emit(self, record: logging.LogRecord) -> None:
        self.any = True


@dataclass
class RenderedPages:
    """The last rendering of each page of each edition, kept in `kept`.

    A page about which something was complained is not kept: the next build must complain again.
    """

    kept: Kept
    _made_by: dict[str, str] = field(default_factory=dict)
    _colored: dict[tuple, str] = field(default_factory=dict)

    def remember_colored_code(self, config: MkDocsConfig) -> None:
        """Have an edition color code with the memory that is here."""
        extensions = config.markdown_extensions
        if HIGHLIGHT in extensions:
            options = config.mdx_configs.pop(HIGHLIGHT, {}) or {}
            extensions[extensions.index(HIGHLIGHT)] = RememberingExtension(self._colored, **options)

    def begin(self, language: str, config: MkDocsConfig, files: Files, book: Book) -> None:
        """Look at what all pages of an edition depend on: its settings, and where files lie."""
        self._made_by.pop(language, None)
        if (settings := settings_digest(config, book)) is not None:
            addresses = (f"{file.src_uri}\n{file.url}" for file in files)
            self._made_by[language] = digest(settings, *addresses)

    def remember(self, page: Page, language: str) -> None:
        """Have this page take its last rendering if it would be rendered the same."""

        def render(config: MkDocsConfig, files: Files) -> None:
            place = "rendered", language, page.file.src_uri
            made_from = digest(self._made_by.get(language, ""), page.url, page.markdown)
            known = self.kept.get(place, made_from)
            if known:
                page.__dict__.update(_restored(known, files))
                return
            warned, log = _Warned(), logging.getLogger("mkdocs")
            log.addHandler(warned)
            try:
                Page.render(page, config, files)
            finally:
                log.removeHandler(warned)
            if not warned.any and language in self._made_by:
                self.kept.put(place, made_from, _plain(page))

        page.render = render

    def finish(self, content: str, book: Book, place: Place) -> tuple[FinishedPage, Reads]:
        """The finished HTML of a page, and what was read of the book to finish it."""
        parts = place.url, place.name, repr(sorted(place.taken_as.items()))
        made_from = digest(self._made_by.get(place.language, ""), content, *parts)
        # What a page can be taken as differs between a site and one being served.
        kept_at = "finished", place.language, place.file, "markdown" in place.taken_as
        known = self.kept.get(kept_at, made_from)
        if known and book.still_has(known[1]):
            return known
        reads: Reads = {}
        made = finish_page(content, page_context(book.noting(reads), place)), reads
        if place.language in self._made_by:
            self.kept.put(kept_at, made_from, made)
        return made


def _plain(page: Page) -> dict[str, Any]:
    """What a page was rendered to, without the files of this build."""
    made = {name: page.__dict__[name] for name in _RENDERED if name in page.__dict__}
    links = page.links_to_anchors or {}
    return made | {"links": {file.src_uri: anchors for file, anchors in links.items()}}


def _restored(known: Mapping[str, Any], files: Files) -> dict[str, Any]:
    """What a page is rendered to, with the files of this build."""
    made = {name: value for name, value in known.items() if name != "links"}
    to_files = {files.get_file_from_path(uri): named for uri, named in known["links"].items()}
    return made | {"links_to_anchors": to_files}
