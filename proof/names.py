"""The names of PyTorch that a page writes as code exist, and are not deprecated without a word.

Only what is certain is refused: a dotted name that torch doesn't have, an argument that no function
of that name takes, a name that is nearly one of torch's and is nobody else's. What a snippet of the
page says or prints is proved by its run, and what stands in quotation marks is somebody else's.
"""

from __future__ import annotations

import builtins
import difflib
import posixpath
import re
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path

from proof.api import Index, read_index
from proof.older import older_file
from proof.page import Page, read
from proof.problem import Problem, Unproved
from proof.prose import Code, code
from proof.uses import Use, uses

_BUILTIN = {name for kind in (str, bytes, list, dict, set, tuple, float) for name in dir(kind)}
OTHERS = sys.stdlib_module_names | {"np", "numpy"}
"""How a name begins that is none of torch's."""
_ARGUMENT = re.compile(r"([a-z]\w*)=(?!=)\S*")
_SAYS = re.compile(
    r"deprecat|obsolete|superseded|outdated|[弃废]用|废弃|过时|不推荐", re.IGNORECASE
)
_WARNS = re.compile(r"warning|deprecat", re.IGNORECASE)
_LINK = re.compile(r"\]\(([^()\s#:]+\.md)")
_NEAR = 0.9
_QUOTES = "quote it with 「」 or “” where it is meant to be wrong"


@dataclass(frozen=True)
class Shown:
    """What the snippets of a page say and print."""

    code: str
    output: str

    @cached_property
    def words(self) -> set[str]:
        """All names in it."""
        return set(re.findall(r"\w+", self.code + self.output))

    def has(self, text: str) -> bool:
        """Whether the text stands in it, not as a part of a longer name."""
        told = rf"(?<!\w){re.escape(text)}(?!\w)"
        return re.search(told, self.code) is not None or re.search(told, self.output) is not None

    def defines(self, name: str) -> bool:
        """Whether a script gives the name a meaning of its own."""
        told = rf"\b(?:def|class|as|for)\s+{name}\b|^\s*{name}\s*(?:,|=[^=])"
        return re.search(told, self.code, re.MULTILINE) is not None

    def imports(self, alias: str) -> bool:
        """Whether a script means the module of torch by its alias."""
        told = rf"^\s*(?:import torch\S* as {alias}|from torch\S* import .*\b{alias})\b"
        return re.search(told, self.code, re.MULTILINE) is not None


def wrong_names(pages: Sequence[Page], root: Path, scripts: Iterable[str]) -> Iterator[Problem]:
    """Names of PyTorch in the prose of the pages that are not, or no longer, right."""
    told = [(page, found) for page in pages if (found := list(code(page)))]
    if not told:
        return
    try:
        index = read_index()
    except Unproved as unproved:
        files = tuple(page.file for page, _ in told)
        yield from (replace(problem, pages=files) for problem in unproved.problems)
        return
    book = {word for script in scripts for word in re.findall(r"\w+", _text(root / script))}
    by_file = {page.file: page for page in pages}

    @cache
    def run(file: str) -> Shown:
        return shown(by_file[file], root)

    def tells(file: str, name: str) -> bool:
        """Whether a page says that a name is deprecated, or one of its runs shows the warning."""
        if file not in by_file:
            return False
        warns = run(file).has(name) and _WARNS.search(run(file).output)
        return bool(warns or _SAYS.search(by_file[file].text))

    for page, spans in told:
        yield from _Check(page, index, run(page.file), book, tells).problems(spans)


def shown(page: Page, root: Path) -> Shown:
    """The texts of the page's snippets, as far as they can be read."""
    scripts, outputs = [], []
    for reference in page.references:
        script = root / reference.path
        scripts.append(_text(script))
        outputs.append(_text(script.with_suffix(".out")))
        outputs += [_text(older_file(script, version)) for version in reference.then]
    return Shown("\n".join(scripts), "\n".join(outputs))


def _text(file: Path) -> str:
    try:
        return read(file)
    except (OSError, ValueError):
        return ""  # told elsewhere


@cache
def _near(name: str, names: Collection[str], ratio: float = _NEAR) -> str | None:
    return next(iter(difflib.get_close_matches(name, names, 1, ratio)), None)


@dataclass(frozen=True)
class _Check:
    page: Page
    index: Index
    shown: Shown
    book: set[str]
    tells: Callable[[str, str], bool]

    def problems(self, spans: list[Code]) -> Iterator[Problem]:
        for span in spans:
            if span.quoted:
                continue
            if argument := _ARGUMENT.fullmatch(span.text):
                yield from self._argument(argument[1], span)
            for use in uses(span.text):
                yield from self._name(use, span)
                if use.keywords:
                    yield from self._keywords(use, span)
                yield from self._deprecated(use, span)

    def _name(self, use: Use, span: Code) -> Iterator[Problem]:
        name = use.parts[-1]
        if use.dotted is None:
            # A plain word may be anything; with an underscore or a call it was meant as a name.
            meant = len(name) >= 8 and (use.call or "_" in name.strip("_")) and name[0] != "_"
            if meant and not self._known(name):
                # `conv_transpose` stands for all of `conv_transpose1d`, `conv_transpose2d`, ...
                family = sum(other.startswith(name) for other in self.index.common) > 1
                if not family and (near := _near(name, self.index.common)):
                    yield self._problem(span, near, use)
            return
        whole = use.dotted.split(".")
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
        if first != "torch" and (self.shown.defines(first) and not self.shown.imports(first)):
            return
        if first == "torch" or self.shown.imports(first) or near:
            yield self._problem(span, near or "a name of PyTorch", use)

    def _problem(self, span: Code, near: str, use: Use) -> Problem:
        what = f"PyTorch {self.index.version} has no such name"
        mend = f"correct the name, or {_QUOTES}"
        return self._told(span, what, near, ".".join(use.parts).lstrip("."), mend)

    def _known(self, name: str) -> bool:
        words = (self.index.words, self.book, self.shown.words, _BUILTIN)
        return any(name in known for known in words) or hasattr(builtins, name)

    def _argument(self, name: str, span: Code) -> Iterator[Problem]:
        """An argument by itself, as `retain_graph=True`."""
        near = None
        if len(name) >= 8 and not self._known(name):
            near = _near(name, self.index.parameters)
        if near:
            what = f"no function of PyTorch {self.index.version} takes this argument"
            mend = f"correct the argument, or {_QUOTES}"
            yield self._told(span, what, f"{near}=", f"{name}=", mend)

    def _entries(self, use: Use) -> list[dict]:
        """What the name of a call may stand for; nothing where it may be somebody else's."""
        if use.dotted:
            entry = self.index.resolve(use.dotted)
            return [entry] if entry is not None else []
        name = use.parts[-1]
        other = hasattr(builtins, name) if len(use.parts) == 1 else name in _BUILTIN
        if other or use.parts[0] in OTHERS or self.shown.defines(name):
            return []
        return self.index.everywhere.get(name, [])

    def _keywords(self, use: Use, span: Code) -> Iterator[Problem]:
        entries = self._entries(use)
        takes = [entry.get("parameters") for entry in entries]
        for keyword in use.keywords:
            if not takes or re.search(rf"\b{keyword}\b['\"]?\s*=|'{keyword}'", self.shown.code):
                continue
            if self.shown.has(f"argument '{keyword}'"):
                continue
            if not any(names is None or "**" in names or keyword in names for names in takes):
                names = sorted({name for told in takes for name in told} - {"self", "args"})
                near = _near(keyword, tuple(names), 0.6)
                expected = f"{near}=" if near else ", ".join(names) or "no argument"
                what = f"{use.parts[-1]} takes no such argument in PyTorch {self.index.version}"
                mend = f"correct the argument, or {_QUOTES}"
                yield self._told(span, what, expected, f"{keyword}=", mend)
            elif all(keyword in entry.get("old", ()) for entry in entries):
                yield from self._unsaid(span, f"{keyword}=", keyword)

    def _deprecated(self, use: Use, span: Code) -> Iterator[Problem]:
        name = use.parts[-1]
        if use.dotted:
            parts = use.dotted.split(".")
            heads = [".".join(parts[:n]) for n in range(2, len(parts) + 1)]
            old = any((self.index.resolve(head) or {}).get("deprecated") for head in heads)
        elif name in _BUILTIN or hasattr(builtins, name) or use.parts[0] in OTHERS:
            return
        else:
            entries = [entry for _, entry in self.index.owned.get(name, ())]
            old = bool(entries) and all(entry.get("deprecated") for entry in entries)
            old = old and not self.shown.defines(name)
        if old:
            yield from self._unsaid(span, ".".join(use.parts).lstrip("."), name)

    def _unsaid(self, span: Code, found: str, name: str) -> Iterator[Problem]:
        """Deprecated, and neither the page says so nor one that the paragraph leads to."""
        pages = [self.page.file, *self._linked(span.line)]
        if any(self.tells(file, name) for file in pages):
            return
        what = f"PyTorch {self.index.version} has deprecated this, and the page does not say so"
        expected = (
            "the word deprecated (弃用), a snippet that prints the warning, or a link to them"
        )
        mend = "say that it is deprecated and what to use now, or use that"
        yield self._told(span, what, expected, found, mend)

    def _linked(self, line: int) -> list[str]:
        """The pages to which the paragraph of a line has links."""
        lines = self.page.text.split("\n")
        first = next((n for n in range(line - 1, 0, -1) if not lines[n - 1].strip()), 0)
        last = next((n for n in range(line, len(lines)) if not lines[n].strip()), len(lines))
        links = _LINK.findall("\n".join(lines[first:last]))
        folder = posixpath.dirname(self.page.file)
        return [posixpath.normpath(posixpath.join(folder, link)) for link in links]

    def _told(self, span: Code, what: str, expected: str, found: str, mend: str) -> Problem:
        file = self.page.file
        return Problem(file, span.line, what, expected, found, mend, (file,))
