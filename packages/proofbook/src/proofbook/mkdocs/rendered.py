"""The HTML that Markdown gave for each page: a page is rendered once for its Markdown."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from typing import Any

import jinja2
from jinja2.bccache import Bucket
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import Files
from mkdocs.structure.pages import Page

from proofbook.markdown.highlight import RememberingExtension
from proofbook.mkdocs.search_index import SearchEntries

HIGHLIGHT = "pymdownx.highlight"

_RENDERED = ("content", "toc", "_title_from_render", "present_anchor_ids", "links_to_anchors")
"""What `Page.render` sets."""


class _Warned(logging.Handler):
    """Notes whether anything was complained about."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.any = False

    def emit(self, record: logging.LogRecord) -> None:
        self.any = True


class CompiledTemplates(jinja2.BytecodeCache):
    """Compiled templates, for all editions and for every rebuild."""

    def __init__(self) -> None:
        self._code: dict[tuple[str, str], bytes] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        if code := self._code.get((bucket.key, bucket.checksum)):
            bucket.bytecode_from_string(code)

    def dump_bytecode(self, bucket: Bucket) -> None:
        self._code[bucket.key, bucket.checksum] = bucket.bytecode_to_string()


@dataclass
class RenderedPages:
    """The last rendering of each page, with what it depends on, and what all pages share."""

    templates: CompiledTemplates = field(default_factory=CompiledTemplates)
    search: SearchEntries = field(default_factory=SearchEntries)
    _known: dict[tuple[str, str], tuple[tuple, dict[str, Any]]] = field(default_factory=dict)
    _colored: dict[tuple, str] = field(default_factory=dict)

    def remember_colored_code(self, config: MkDocsConfig) -> None:
        """Have an edition color code with the memory that is here."""
        extensions = config.markdown_extensions
        if HIGHLIGHT in extensions:
            options = config.mdx_configs.pop(HIGHLIGHT, {}) or {}
            extensions[extensions.index(HIGHLIGHT)] = RememberingExtension(self._colored, **options)

    def remember(self, page: Page) -> None:
        """Have this page take its last rendering if its Markdown and all addresses are the same."""

        def render(config: MkDocsConfig, files: Files) -> None:
            place = config.config_file_path, page.file.src_uri
            addresses = hash(tuple((file.src_uri, file.url) for file in files))
            key = page.markdown, page.url, addresses
            known = self._known.get(place)
            if known and known[0] == key:
                page.__dict__.update(known[1])
                return
            warned, log = _Warned(), logging.getLogger("mkdocs")
            log.addHandler(warned)
            try:
                Page.render(page, config, files)
            finally:
                log.removeHandler(warned)
            if not warned.any:  # else the next build must complain again
                made = {name: page.__dict__[name] for name in _RENDERED if name in page.__dict__}
                self._known[place] = key, made

        page.render = render
