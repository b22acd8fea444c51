"""The cache of site builds: the HTML of each page, and other results made from a page.

A result is found by its place and a digest of its inputs, also in another process.
"""

from __future__ import annotations

import hashlib
import logging
import re
from collections.abc import Hashable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import Files
from mkdocs.structure.pages import Page
from mkdocs.utils import CountHandler

from proofbook.html.page import FinishedPage, Place, finish_page
from proofbook.model.book import Book
from proofbook.model.cache import Reads

_APART = {"dev_addr", "plugins", "site_dir", "strict", "theme", "watch"}
"""Settings on which no HTML of a page's content depends, and those that are checked separately."""
_FUNCTION = re.compile(r"<function (\S+) at 0x\w+>")


def digest(*parts: str) -> str:
    """A hash of several texts."""
    return hashlib.sha256(repr(parts).encode()).hexdigest()


@dataclass
class Cache:
    """The last result for each place, with a digest of its inputs."""

    _results: dict[Hashable, tuple[str, Any]] = field(default_factory=dict)
    _used: set[Hashable] = field(default_factory=set)

    def get(self, place: Hashable, made_from: str) -> Any:
        """The result for a place; None if its inputs have changed."""
        known = self._results.get(place)
        if known is None or known[0] != made_from:
            return None
        self._used.add(place)
        return known[1]

    def put(self, place: Hashable, made_from: str, result: Any) -> None:
        """Cache the result for a place instead of the last one."""
        self._results[place] = made_from, result
        self._used.add(place)

    def used(self) -> dict[Hashable, tuple[str, Any]]:
        """The entries read or stored in this process, which the next one may need."""
        return {place: self._results[place] for place in self._used}


def settings_digest(config: MkDocsConfig, book: Book) -> str | None:
    """A digest of the settings of an edition and of the files that they name; None if they contain
    an object that only exists in this process."""
    plugins = {name: getattr(each, "config", None) for name, each in config.plugins.items()}
    settings = [(name, config[name]) for name in sorted(config) if name not in _APART]
    text = _FUNCTION.sub(r"<function \1>", repr([settings, plugins]))
    if " at 0x" in text:
        return None
    inventories = [book.root / source.file for source in book.config.inventories]
    return digest(text, *map(_state, [*map(Path, config.hooks), *inventories]))


def _state(file: Path) -> str:
    try:
        status = file.stat()
    except OSError:
        return f"{file}: none"
    return f"{file} {status.st_size} {status.st_mtime_ns}"


class RenderedPages:
    """The last rendering of each page of each edition.

    A page with a warning is not cached: the next build must warn again.
    """

    def __init__(self, cache: Cache) -> None:
        self._cache = cache
        self._made_by: dict[str, str] = {}
        self._rendering: dict[tuple[str, str], tuple[str, int]] = {}
        self._titled: set[tuple[str, str]] = set()
        self._warnings = CountHandler(level=logging.WARNING)
        logging.getLogger("mkdocs").addHandler(self._warnings)

    def close(self) -> None:
        """Listen to no more warnings."""
        logging.getLogger("mkdocs").removeHandler(self._warnings)

    def begin(self, language: str, config: MkDocsConfig, files: Files, book: Book) -> None:
        """Check the inputs of all pages of an edition: its settings, and the places of files."""
        self._made_by.pop(language, None)
        self._titled = {place for place in self._titled if place[0] != language}
        if (settings := settings_digest(config, book)) is not None:
            addresses = (f"{file.src_uri}\n{file.url}" for file in files)
            self._made_by[language] = digest(settings, *addresses)

    def to_render(self, markdown: str, page: Page, language: str) -> str:
        """The Markdown of a page for MkDocs to render: empty if the page is cached."""
        place = language, page.file.src_uri
        if place in self._titled:
            self._titled.remove(place)
            del page.title
        made_from = digest(self._made_by.get(language, ""), page.url, markdown)
        self._rendering[place] = made_from, sum(self._warnings.counts.values())
        return "" if self._cache.get(("rendered", *place), made_from) else markdown

    def rendered(self, content: str, page: Page, files: Files, language: str) -> str:
        """The HTML of a page that MkDocs has rendered, or that was cached."""
        place = language, page.file.src_uri
        made_from, warnings = self._rendering.pop(place, ("", -1))
        if known := self._cache.get(("rendered", *place), made_from):
            content, title, page.toc, page.present_anchor_ids, links = known
            page.links_to_anchors = {files.get_file_from_path(f): each for f, each in links.items()}
            if "title" not in vars(page):  # otherwise the navigation names it
                page.title = title
                self._titled.add(place)
        elif language in self._made_by and warnings == sum(self._warnings.counts.values()):
            links = {f.src_uri: each for f, each in (page.links_to_anchors or {}).items()}
            made = content, page.title, page.toc, page.present_anchor_ids, links
            self._cache.put(("rendered", *place), made_from, made)
        return content

    def finished(self, content: str, book: Book, place: Place) -> tuple[FinishedPage, Reads]:
        """The finished HTML of a page, and the parts of the book read to finish it."""
        parts = place.url, repr(sorted(place.other_formats.items()))
        made_from = digest(self._made_by.get(place.language, ""), content, *parts)
        # The formats of a page differ between a site and one being served.
        cached_at = "finished", place.language, place.file, "markdown" in place.other_formats
        known = self._cache.get(cached_at, made_from)
        if known and book.still_has(known[1]):
            return known
        reads: Reads = {}
        made = finish_page(content, book.noting(reads), place), reads
        if place.language in self._made_by:
            self._cache.put(cached_at, made_from, made)
        return made
