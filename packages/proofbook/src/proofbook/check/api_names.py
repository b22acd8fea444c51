"""Names of the libraries in the inline code of a page: they must exist, and deprecated ones must be
marked.

Only certain errors are reported: a dotted name that torch doesn't have (or another library that the
book is about), an argument that no function of that name takes, a name that is nearly one of torch
and of nothing else. The code and output of the page's snippets are proved by their runs, and
quotations are skipped.
"""

from __future__ import annotations

import builtins
import difflib
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from proofbook.api.index import (
    OTHERS,
    CodeName,
    Index,
    ShownText,
    installed_api,
    names_in_code,
    shown_text,
)
from proofbook.markdown.spans import Span
from proofbook.model.book import Book
from proofbook.model.page import Page
from proofbook.model.problem import Problem
from proofbook.model.snippet import output_file

_BUILTIN = {name for kind in (str, bytes, list, dict, set, tuple, float) for name in dir(kind)}
_ARGUMENT = re.compile(r"([a-z]\w*)=(?!=)\S*")
_SAYS = re.compile(
    r"deprecat|obsolete|superseded|outdated|[弃废]用|废弃|过时|不推荐", re.IGNORECASE
)
_NEAR = 0.9
_DTYPE = re.compile(r"(?<![\w#./-])(?:b?float|u?int|complex)(\d+)(?!\w)")
_BITS = {str(2**power) for power in range(9)} | {"24", "80"}
"""The sizes of number formats: powers of two, integers in audio files, floats of old processors."""
_QUOTES = "quote it with “” where it is meant to be wrong"


def wrong_names(page: Page, book: Book) -> Iterator[Problem]:
    """Names of the libraries in the prose of a page that are wrong, or no longer right.

    Nothing if their API is not known: `unknown_api` reports why.
    """
    if (spans := page.own_code) and (index := installed_api(book)):
        words = book.fact(_words_of_snippets)
        context = _Context(page, index, shown_text(page, book), words, book)
        yield from context.problems(spans)


def wrong_dtypes(page: Page, book: Book) -> Iterator[Problem]:
    """Number formats in the words of a page (not in code) with a size that doesn't exist:
    float26."""
    for found in _DTYPE.finditer(page.blanked(("code", "fence", "indented-code", "maths"))):
        if found[1] not in _BITS:
            yield page.problem(
                page.line_of(found.start()),
                "no number format has this size",
                "as float16, bfloat16, int8, complex64",
                found[0],
                "correct it",
            )


def _words_of_snippets(book: Book) -> frozenset[str]:
    return frozenset().union(*(book.fact(_words_of_snippet, script) for script in book.scripts))


def _words_of_snippet(book: Book, script: str) -> frozenset[str]:
    text = book.text_or_empty(script) + book.text_or_empty(output_file(script))
    return frozenset(re.findall(r"\w+", text))


def _says_deprecated(book: Book, file: str) -> bool:
    return file in book.page_files and _SAYS.search(book.page(file).text) is not None


@lru_cache(maxsize=512)
def _near(name: str, names: Collection[str], ratio: float = _NEAR) -> str | None:
    return next(iter(difflib.get_close_matches(name, names, 1, ratio)), None)


@lru_cache(maxsize=512)
def _slip(name: str, names: Collection[str]) -> str | None:
    """The name that this one misspells: with one typo, or a few more if it is long."""
    for other in names:
        if abs(len(other) - len(name)) <= 1 and len(other) >= 4 and _one_slip(name, other):
            return other
    return _near(name, names) if len(name) >= 8 else None


def _one_slip(name: str, other: str) -> bool:
    """Whether a letter was dropped, doubled, changed, or swapped with the next."""
    start = next((n for n, (a, b) in enumerate(zip(name, other, strict=False)) if a != b), None)
    if start is None:
        return len(name) != len(other)
    rest, there = name[start:], other[start:]
    swapped = rest[1::-1] + rest[2:]
    return there == swapped or rest == there[1:] or rest[1:] in (there, there[1:])


@dataclass(frozen=True)
class _Context:
    """A page with the data that its names are compared with; `words`: those of all snippets."""

    page: Page
    index: Index
    shown: ShownText
    words: frozenset[str]
    book: Book

    def problems(self, spans: Sequence[Span]) -> Iterator[Problem]:
        for span in spans:
            if argument := _ARGUMENT.fullmatch(span.one_line):
                yield from self._argument(argument[1], span)
            for use in names_in_code(span.one_line, self.index):
                yield from self._name(use, span)
                if use.keywords:
                    yield from self._keywords(use, span)
                yield from self._deprecated(use, span)

    def _name(self, use: CodeName, span: Span) -> Iterator[Problem]:
        name = use.parts[-1]
        if (dotted := use.dotted(self.index)) is None:
            if len(name) >= 5 and name[0] != "_" and not self._known(name):
                # `conv_transpose` stands for all of `conv_transpose1d`, `conv_transpose2d`, ...
                family = sum(other.startswith(name) for other in self.index.common) > 1
                known = () if family else (tuple(sorted(self.shown.words)), self.index.common)
                if near := next(filter(None, (_slip(name, names) for names in known)), None):
                    yield self._problem(span, near, use)
            return
        whole = dotted.split(".")
        heads = [".".join(whole[:n]) for n in range(1, len(whole) + 1)]
        last = next((n for n, head in enumerate(heads) if self.index.resolve(head) is None), 0)
        if not last:
            return
        missing = whole[last]
        if self.shown.has(".".join(use.parts[-2:])) or self.shown.has(f"attribute '{missing}'"):
            return
        owner = self.index.resolve(heads[last - 1]) or {}
        names = self.index.modules.get(owner.get("module", "")) or self.index.common
        near = _near(missing, tuple(names), 0.75)
        first = use.parts[0]
        known = first in self.index.roots or self.shown.imports(first)
        if known or (near and not self.shown.defines(first)):
            title = self.index.roots[whole[0]]
            yield self._problem(span, near or f"a name of {title}", use)

    def _problem(self, span: Span, near: str, use: CodeName) -> Problem:
        what = f"{self.index.title} has no such name"
        fix = f"correct the name, or {_QUOTES}"
        return self.page.problem(span.line, what, near, ".".join(use.parts).lstrip("."), fix)

    def _known(self, name: str) -> bool:
        words = (self.index.words, self.words, self.shown.words, _BUILTIN)
        return any(name in known for known in words) or hasattr(builtins, name)

    def _argument(self, name: str, span: Span) -> Iterator[Problem]:
        """An argument without a call, as `retain_graph=True`."""
        near = None
        if len(name) >= 8 and not self._known(name):
            near = _near(name, self.index.parameters)
        if near:
            what = f"no function of {self.index.title} takes this argument"
            fix = f"correct the argument, or {_QUOTES}"
            yield self.page.problem(span.line, what, f"{near}=", f"{name}=", fix)

    def _entries(self, use: CodeName) -> list[dict]:
        """The entries that the name of a call may refer to; none if it may not be a library's."""
        if dotted := use.dotted(self.index):
            entry = self.index.resolve(dotted)
            return [entry] if entry is not None else []
        name = use.parts[-1]
        other = hasattr(builtins, name) if len(use.parts) == 1 else name in _BUILTIN
        if other or use.parts[0] in OTHERS or self.shown.defines(name):
            return []
        return self.index.everywhere.get(name, [])

    def _keywords(self, use: CodeName, span: Span) -> Iterator[Problem]:
        entries = self._entries(use)
        takes = [entry.get("parameters") for entry in entries]
        for keyword in use.keywords:
            if not takes or re.search(rf"\b{keyword}\b['\"]?\s*=|'{keyword}'", self.shown.code):
                continue
            if self.shown.has(f"argument '{keyword}'"):
                continue
            if not any(names is None or "**" in names or keyword in names for names in takes):
                names = sorted({name for names in takes for name in names} - {"self", "args"})
                near = _near(keyword, tuple(names), 0.6)
                expected = f"{near}=" if near else ", ".join(names) or "no argument"
                what = f"{use.parts[-1]} takes no such argument in {self.index.title}"
                fix = f"correct the argument, or {_QUOTES}"
                yield self.page.problem(span.line, what, expected, f"{keyword}=", fix)

    def _deprecated(self, use: CodeName, span: Span) -> Iterator[Problem]:
        """A deprecated name of which neither the page nor one linked in the paragraph says so."""
        name = use.parts[-1]
        if dotted := use.dotted(self.index):
            parts = dotted.split(".")
            heads = [".".join(parts[:n]) for n in range(2, len(parts) + 1)]
            deprecated = any((self.index.resolve(head) or {}).get("deprecated") for head in heads)
        elif name in _BUILTIN or hasattr(builtins, name) or use.parts[0] in OTHERS:
            return
        elif (not use.call and "_" not in name) or self.shown.defines(name):
            return  # also an ordinary word
        else:
            owned = self.index.owned.get(name, ())
            deprecated = owned and all(entry.get("deprecated") for _, entry in owned)
        pages = [self.page.file, *self._linked(span.line)] if deprecated else []
        if pages and not any(self.book.fact(_says_deprecated, file) for file in pages):
            what = f"{self.index.title} has deprecated this, and the page does not say so"
            words = "deprecated (弃用)" if "zh" in self.book.config.codes else "deprecated"
            expected = f"the word {words}, here or behind a link in the paragraph"
            fix = "say that it is deprecated and what to use now, or use that"
            found = ".".join(use.parts).lstrip(".")
            yield self.page.problem(span.line, what, expected, found, fix)

    def _linked(self, line: int) -> list[str]:
        """The pages linked in the paragraph of a line."""
        lines, starts = self.page.lines, self.page.line_starts
        first = next((n for n in range(line, 0, -1) if not lines[n - 1].strip()), 0)
        last = next((n for n in range(line, len(lines)) if not lines[n].strip()), len(lines))
        linked = self.page.linked_pages(starts[first], starts[last])
        return [self.book.shown_page(file) for file in linked]
