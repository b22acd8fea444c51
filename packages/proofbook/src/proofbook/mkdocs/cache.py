"""Makes rebuilds fast: remembers what did not change.

Removing this hook changes no byte of the site. Each memory is keyed by everything its result
depends on. MkDocs and Material offer no place to remember these things, so three methods are
wrapped; `benchmarks/site.py` measures what that brings.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable

import jieba
import jinja2
import material
import mkdocs
from material.plugins.search.plugin import SearchIndex
from mkdocs.plugins import BasePlugin
from mkdocs.structure.pages import Page
from watchdog.observers.polling import PollingObserver

POLL = 0.2
"""Seconds between two looks at the files while serving; MkDocs takes 0.5."""

_PACKAGES = tuple(os.path.dirname(package.__file__) for package in (material, mkdocs))
_RENDERED = ("content", "toc", "_title_from_render", "present_anchor_ids", "links_to_anchors")


class CompiledTemplates(jinja2.BytecodeCache):
    """Compiled templates, for the second language and for every rebuild."""

    def __init__(self) -> None:
        self._code: dict[tuple[str, str], bytes] = {}

    def load_bytecode(self, bucket) -> None:
        if code := self._code.get((bucket.key, bucket.checksum)):
            bucket.bytecode_from_string(code)

    def dump_bytecode(self, bucket) -> None:
        self._code[bucket.key, bucket.checksum] = bucket.bytecode_to_string()


_compiled = CompiledTemplates()


class Warned(logging.Handler):
    """Notes whether anything was complained about."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.any = False

    def emit(self, record: logging.LogRecord) -> None:
        self.any = True


def _render(plain: Callable) -> Callable:
    known: dict[tuple, dict] = {}

    def render(page: Page, config, files) -> None:
        addresses = tuple((file.src_uri, file.url) for file in files)
        key = (page.file.src_uri, page.markdown, page.url, hash(addresses), config.config_file_path)
        if key in known:
            page.__dict__.update(known[key])
            return
        warned, log = Warned(), logging.getLogger("mkdocs")
        log.addHandler(warned)
        try:
            plain(page, config, files)
        finally:
            log.removeHandler(warned)
        if not warned.any:  # else the next build must complain again
            known[key] = {name: page.__dict__[name] for name in _RENDERED if name in page.__dict__}

    return render


def _index(plain: Callable) -> Callable:
    known: dict[tuple, list] = {}

    def add_entry_from_context(index: SearchIndex, page: Page) -> None:
        words = jieba.dt.total  # changes with each word that jieba is told
        key = page.url, page.content, str(page.title), str(page.meta), str(index.config), words
        if key not in known:
            before = len(index.entries)
            plain(index, page)
            known[key] = index.entries[before:]
        else:
            index.entries.extend(known[key])

    return add_entry_from_context


def _list_templates(plain: Callable) -> Callable:
    known: dict[tuple, list[str]] = {}

    def list_templates(environment: jinja2.Environment, extensions=None, filter_func=None):
        # The theme's own files do not change while MkDocs runs; ours are few, and listed each time.
        names = []
        for folder in environment.loader.searchpath:
            if folder not in known or not folder.startswith(_PACKAGES):
                known[folder] = jinja2.FileSystemLoader(folder).list_templates()
            names += known[folder]
        return [name for name in sorted(set(names)) if filter_func is None or filter_func(name)]

    return list_templates


def on_startup(command: str, dirty: bool) -> None:
    """Wrap once in a process, however many builds it makes."""
    if getattr(Page.render, "__module__", "") == __name__:
        return
    Page.render = _render(Page.render)
    SearchIndex.add_entry_from_context = _index(SearchIndex.add_entry_from_context)
    jinja2.Environment.list_templates = _list_templates(jinja2.Environment.list_templates)


def on_env(env: jinja2.Environment, config, files) -> jinja2.Environment:
    env.bytecode_cache = _compiled
    return env


def on_serve(server, config, builder):
    """Look at the files more often."""
    watched = list(server._watched_paths)
    server._watched_paths.clear()
    server._watch_refs.clear()
    server.observer = PollingObserver(timeout=POLL)
    for path in watched:
        server.watch(path)
    return server


class CachePlugin(BasePlugin):
    """Remembers what did not change between two builds; without it the site is the same."""

    def on_startup(self, *, command, dirty):
        on_startup(command, dirty)

    def on_env(self, env, *, config, files):
        return on_env(env, config, files)

    def on_serve(self, server, *, config, builder):
        return on_serve(server, config, builder)
