"""A book in a folder: the text of every file, read once, and the results computed from it.

A `Book` never changes. `reopened` returns the book after an edit: it reads the changed files,
and shares the memory of results with the one before.
"""

from __future__ import annotations

import hashlib
import os.path
import posixpath
import re
from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib import metadata
from pathlib import Path
from typing import Any, TypeVar

from proofbook.model.cache import Memo, Reads, Remembered, version_of
from proofbook.model.config import BookConfig, read_config
from proofbook.model.page import Page, language_of, name_of, parse
from proofbook.model.problem import Problem, not_utf8
from proofbook.model.sources import SourceFile, read_sources

PLACEHOLDER = re.compile(r"\{\{ *([\w-]+)\.version *\}\}")
"""A placeholder in a page: `{{ torch.version }}`, the version of an installed library."""

_T = TypeVar("_T")


@dataclass(frozen=True)
class Book:
    """Every text of a book; paths are relative to `root`, written with `/`.

    Results of functions `f(book, *arguments)` are cached, also for the next process: the book
    passed to them notes what they read from it, and a result is valid while that is the same.
    There are two verbs. `remember`: for whatever is large, or used once; the caller depends on all
    that was read. `fact`: for small results that stay the same through most edits, such as the
    anchors of a page; the caller depends on the result alone. What depends on its arguments and the
    installed software alone needs no book: `functools.lru_cache`.
    """

    root: Path
    config: BookConfig
    sources: Mapping[str, SourceFile]
    memo: Memo = field(default_factory=dict)
    _valid: set = field(default_factory=set)
    _lists: dict[tuple[str, str], tuple[str, ...]] = field(default_factory=dict)
    _reads: Reads | None = None

    def reopened(self) -> Book:
        """The current book; files that did not change are not read again."""
        config = read_config(self.root)
        sources = read_sources(self.root, config, self.sources)
        memo = self.memo if config == self.config else {}
        return Book(self.root, config, sources, memo)

    def with_texts(self, texts: Mapping[str, str]) -> Book:
        """The book with these texts in these files, and all others unchanged."""
        changed = {
            file: SourceFile(text, hashlib.sha256(text.encode()).hexdigest()[:20], (-1, -1))
            for file, text in texts.items()
        }
        return Book(self.root, self.config, {**self.sources, **changed}, self.memo)

    def changed_since(self, before: Book) -> set[str]:
        """The files whose text differs from the book `before`, or that are new or gone."""
        names = self.sources.keys() | before.sources.keys()
        return {name for name in names if _stamp(self, name) != _stamp(before, name)}

    # --- reading

    def text(self, file: str) -> str:
        """The text of a file. Raises `FileNotFoundError` or `UnicodeDecodeError`."""
        self._note_all({file: _stamp(self, file)})
        source = self.sources.get(file)
        if source is None:
            raise FileNotFoundError(file)
        if source.error:
            raise source.error
        return source.text

    def text_or_empty(self, file: str) -> str:
        """The text of a file; empty if it is missing or not a text, which `unreadable` reports."""
        try:
            return self.text(file)
        except (FileNotFoundError, UnicodeDecodeError):
            return ""

    def has(self, file: str) -> bool:
        """Whether there is such a file, with any contents."""
        return self._answer(("exists", file))

    def files(self, folder: str, ending: str) -> tuple[str, ...]:
        """The text files below a folder with this suffix, sorted."""
        return self._answer(("files", folder, ending))

    def page(self, file: str) -> Page:
        """A page by its file. Raises `FileNotFoundError` or `UnicodeDecodeError`."""
        return self.remember(_parsed, file)

    # --- contents

    @property
    def pages(self) -> tuple[Page, ...]:
        """All pages that can be read."""
        return tuple(self.page(file) for file in self.page_files)

    @property
    def page_files(self) -> tuple[str, ...]:
        """The files of all pages that can be read."""
        return self._answer(("pages",))

    @property
    def reading_order(self) -> tuple[str, ...]:
        """The names of the pages in reading order: those of `nav`, or all in their order, the first
        one of each folder first."""
        return self._answer(("reading order",))

    @property
    def scripts(self) -> tuple[str, ...]:
        """All snippets."""
        return self.files("snippets", ".py")

    def language_of(self, file: str) -> str:
        """The language of a page by its file: from its name, or the only one of the book."""
        only = self.config.default.code if len(self.config.codes) == 1 else ""
        return language_of(file) or only

    def page_file(self, name: str, language: str) -> str:
        """The file of a page by its name (`basics/leaf`) in a language, whether it exists or not.

        If only another language has the page, its file, which the edition shows. In a book of one
        language the file name may omit the language code.
        """
        own, codes = f"docs/{name}.{language}.md", self.config.codes
        others = [f"docs/{name}.{code}.md" for code in codes] if len(codes) > 1 else []
        files = (own, *others) if others else (f"docs/{name}.md", own)
        return next(filter(self.has, files), own)

    def shown_page(self, file: str) -> str:
        """The file that readers see if a link names a page that its language lacks."""
        language = language_of(file)
        return self.page_file(name_of(file), language) if language in self.config.codes else file

    def pages_in(self, language: str) -> tuple[str, ...]:
        """The files of the pages that the edition of a language shows, translated or not."""
        readable = dict.fromkeys(self.page_files)
        files = dict.fromkeys(self.page_file(name_of(file), language) for file in readable)
        return tuple(f for f in files if f in readable and self.language_of(f) in self.config.codes)

    def page_beside(self, file: str, language: str) -> str:
        """The page in a language that shows a TOML file: `index.<code>.md` in the same folder."""
        return self.page_file(name_of(f"{posixpath.dirname(file)}/index.md"), language)

    def untranslated(self, language: str) -> tuple[str, ...]:
        """The files of the pages that the edition of a language shows in another language."""
        return tuple(f for f in self.pages_in(language) if self.language_of(f) != language)

    def pages_beside(self, file: str) -> tuple[str, ...]:
        """The pages that show a TOML file, one in each language."""
        return tuple(self.page_beside(file, code) for code in self.config.codes)

    def pages_showing(self, script: str) -> tuple[str, ...]:
        """The pages that show a script."""
        return self.fact(_users).get(script, ())

    @cached_property
    def unreadable(self) -> tuple[Problem, ...]:
        """The files that are not text in UTF-8."""
        return tuple(
            not_utf8(name, source.error, (name,) if name.endswith(".md") else ())
            for name, source in sorted(self.sources.items())
            if source.error
        )

    # --- results

    def remember(self, function: Callable[..., _T], *arguments: Hashable) -> _T:
        """`function(book, *arguments)`, computed again only if something that it read has changed.

        The function must be at module level; its result must not be modified.
        """
        key = function, arguments
        entry = self.memo.get(key)
        if entry is None or not self._is_valid(key, entry):
            view = replace(self, _reads={})
            try:
                value = function(view, *arguments)
            finally:  # a caller that catches the error depends on the reads so far
                self._note_all(view._reads)
            entry = self.memo[key] = Remembered(value, view._reads)
            self._valid.add(key)
        self._note_all(entry.reads)
        return entry.value

    def fact(self, function: Callable[..., _T], *arguments: Hashable) -> _T:
        """As `remember`, but the caller depends on the result alone, not on the reads for it.

        For small results that remain the same through most edits: the anchors of a page, the pages
        that show a script.
        """
        return self._answer(("fact", function, arguments))

    def noting(self, reads: Reads) -> Book:
        """The same book, which notes its reads in `reads`."""
        return replace(self, _reads=reads)

    def still_has(self, reads: Reads) -> bool:
        """Whether everything that was read is unchanged."""
        return next(self.changes(reads), None) is None

    def changes(self, reads: Reads) -> Iterator[Hashable]:
        """What was read and is another now: why a result that depends on it is computed again."""
        return (read for read, known in reads.items() if self._current(read) != known)

    def _is_valid(self, key: Hashable, entry: Remembered) -> bool:
        if key not in self._valid:
            if not self.still_has(entry.reads):
                return False
            self._valid.add(key)
        return True

    def _answer(self, query: tuple) -> Any:
        answer = self._current(query)
        self._note_all({query: answer})
        return answer

    def _current(self, read: Hashable) -> Any:
        """The current answer to a query, or the current hash of a file."""
        if isinstance(read, str):
            return _stamp(self, read)
        kind, *rest = read
        if kind == "exists":
            return rest[0] in self.sources or os.path.isfile(self.root / rest[0])
        if kind == "files":
            return self._listed(*rest)
        if kind == "reading order":
            return self._reading_order()
        if kind == "pages":
            return tuple(f for f in self._listed("docs", ".md") if not self.sources[f].error)
        function, arguments = rest
        return replace(self, _reads=None).remember(function, *arguments)

    def _reading_order(self) -> tuple[str, ...]:
        names = {name_of(f): f for f in self._listed("docs", ".md") if not self.sources[f].error}
        if entries := self.config.navigation.pages:
            return tuple(n for n in (name_of(f"docs/{e}") for e in entries) if n in names)
        folders = ((posixpath.dirname(n), posixpath.basename(n) != "index", n) for n in names)
        return tuple(name for *_, name in sorted(folders))

    def _listed(self, folder: str, ending: str) -> tuple[str, ...]:
        if (folder, ending) not in self._lists:
            start = f"{folder}/"
            found = sorted(f for f in self.sources if f.startswith(start) and f.endswith(ending))
            self._lists[folder, ending] = tuple(found)
        return self._lists[folder, ending]

    def _note_all(self, reads: Reads) -> None:
        if self._reads is not None:
            self._reads.update(reads)


def read_book(root: Path) -> Book:
    """Read the book in `root`; raises `Unproved` if its settings are wrong."""
    root = root.resolve()
    config = read_config(root)
    return Book(root, config, read_sources(root, config, {}))


def fill_placeholders(text: str) -> str:
    """The text with the versions of installed packages filled in, each without its last number:
    2.13. Any other name is left as written."""
    return PLACEHOLDER.sub(_version, text) if "{{" in text else text


def _version(found: re.Match[str]) -> str:
    try:
        return ".".join(version_of(found[1]).split(".")[:2])
    except metadata.PackageNotFoundError:
        return found[0]


def _parsed(book: Book, file: str) -> Page:
    text = fill_placeholders(book.text(file))
    return parse(file, text, language=book.language_of(file))


def _users(book: Book) -> dict[str, tuple[str, ...]]:
    users: dict[str, dict[str, None]] = {}
    for file in book.page_files:
        for script in book.fact(_shown_scripts, file):
            users.setdefault(script, {})[file] = None
    return {script: tuple(files) for script, files in users.items()}


def _shown_scripts(book: Book, file: str) -> tuple[str, ...]:
    return tuple(reference.path for reference in book.page(file).references)


def _stamp(book: Book, file: str) -> str | None:
    source = book.sources.get(file)
    return source.stamp if source else None
