"""Claims: the general sentences of the pages, each with the test that tries to refute it.

They stand in files `claims.toml` beside the pages: for each, the sentence in every language, and
either how far it holds and the test that tried more than the page shows, or why nothing was tried.
"""

from __future__ import annotations

import ast
import posixpath
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from proofbook.api.names_in_code import NOT_PYTHON
from proofbook.markdown.placeholders import fill_placeholders
from proofbook.model.book import Book
from proofbook.model.problem import Problem, Unproved
from proofbook.model.sentences import sentences
from proofbook.model.toml_tables import is_words, parse_toml, tables

FILE = "claims.toml"
UNTESTED = {
    "definition": {"zh": "是定义", "en": "a definition"},
    "mathematics": {"zh": "由数学推导", "en": "derived by mathematics"},
    "advice": {"zh": "是建议", "en": "advice"},
    "this book": {"zh": "讲这本书自己", "en": "about this book itself"},
    "hardware": {"zh": "要有别的硬件，例如 GPU", "en": "needs other hardware, such as a GPU"},
    "other version": {"zh": "讲别的 PyTorch 版本", "en": "about other versions of PyTorch"},
    "other software": {"zh": "讲别的软件", "en": "about other software"},
}
"""Why no test tries to refute a claim, as a reader sees it."""

_TEXTS = ("scope", "test", "untested")


@dataclass(frozen=True)
class Claim:
    """A general sentence of a page; `line` is that of its `file`.

    `page`: the page without its language, `module-hooks/full-backward`; `said`: by language, the
    sentences that say it, as the page has them, each in one line. `scope`: what was tried;
    `test`: the test that tried it, as pytest names it; `untested`: why nothing was tried, one of
    `UNTESTED`.
    """

    file: str
    line: int
    page: str
    said: Mapping[str, tuple[str, ...]]
    scope: str = ""
    test: str = ""
    untested: str = ""


@dataclass(frozen=True)
class ClaimFile:
    """The claims of a file, and what is wrong with the form of others in it."""

    claims: tuple[Claim, ...] = ()
    problems: tuple[Problem, ...] = ()


def read_claims(book: Book, file: str) -> ClaimFile:
    """The claims of a file; `problems` where some, or all, cannot be read."""
    folder = posixpath.dirname(file).removeprefix("docs").strip("/")
    found: list[Claim] = []
    problems: list[Problem] = []
    try:
        for kind in _pages_in(book.text(file)):
            page = posixpath.join(folder, kind)
            pages = tuple(book.page_file(page, code) for code in book.config.codes)
            for entry, line in tables(book, file, kind, pages):
                faults = list(_faults(entry, book.config.codes))
                problems += [_problem(file, line, pages, *fault) for fault in faults]
                if not faults:
                    said = {code: _listed(entry[code]) for code in book.config.codes}
                    texts = {name: entry[name] for name in _TEXTS if name in entry}
                    found.append(Claim(file, line, page, said, **texts))
    except Unproved as unproved:
        problems += unproved.problems
    except UnicodeDecodeError:
        pass  # reported as unreadable
    return ClaimFile(tuple(found), tuple(problems))


def _pages_in(text: str) -> tuple[str, ...]:
    """The pages that a file speaks of; of one that isn't TOML, any, which gives the error."""
    try:
        return tuple(parse_toml(text))
    except tomllib.TOMLDecodeError:
        return ("",)


def claims_of(book: Book, page_file: str) -> tuple[Claim, ...]:
    """The claims of a page, in all of its languages."""
    file = posixpath.join(posixpath.dirname(page_file), FILE)
    name = book.page(page_file).name
    claims = book.fact(read_claims, file).claims if book.has(file) else ()
    return tuple(claim for claim in claims if claim.page == name)


def wrong_claims(book: Book) -> Iterator[Problem]:
    """Claims that no page makes, or whose test isn't there."""
    for file in book.files("docs", f"/{FILE}"):
        read = book.fact(read_claims, file)
        yield from read.problems
        seen: dict[tuple[str, ...], int] = {}
        for claim in read.claims:
            yield from _unsaid(claim, book)
            yield from _without_test(claim, book)
            key = (claim.page, *(text for said in claim.said.values() for text in said))
            if (first := seen.setdefault(key, claim.line)) != claim.line:
                yield _problem(file, claim.line, (), "this claim stands here twice",
                               "one entry", f"another in line {first}")  # fmt: skip


def _unsaid(claim: Claim, book: Book) -> Iterator[Problem]:
    for code, said in claim.said.items():
        file = book.page_file(claim.page, code)
        if file not in book.page_files:
            what, expected = "there is no such page", f"the name of a page beside {claim.file}"
            yield _problem(claim.file, claim.line, (), what, expected, file)
            return
        known = book.fact(_texts, file)
        for text in said:
            if text not in known:
                what = "this sentence doesn't stand on the page: was it changed there?"
                expected = f"a sentence of {file} that says the same, and a test that tries it"
                yield _problem(claim.file, claim.line, (file,), what, expected, text)


def _without_test(claim: Claim, book: Book) -> Iterator[Problem]:
    if not claim.test:
        return
    file, _, name = claim.test.partition("::")
    pages = tuple(book.page_file(claim.page, code) for code in book.config.codes)
    if not book.has(file):
        what, expected = "there is no such file of tests", f"a file in {book.config.claims}"
        yield _problem(claim.file, claim.line, pages, what, expected, file)
    elif name not in book.fact(_tests, file):
        what, expected = "there is no such test", f"a function test_... of {file}"
        yield _problem(claim.file, claim.line, pages, what, expected, name or "no name of a test")


def _texts(book: Book, file: str) -> frozenset[str]:
    """The sentences of a page, each as Markdown in one line."""
    return frozenset(sentence.text for sentence in sentences(book.page(file)))


def _tests(book: Book, file: str) -> tuple[str, ...]:
    """The test functions of a file; none where it is no Python, which pytest reports."""
    try:
        tree = ast.parse(book.text_or_empty(file))
    except NOT_PYTHON:
        return ()
    names = (node.name for node in tree.body if isinstance(node, ast.FunctionDef))
    return tuple(name for name in names if name.startswith("test_"))


def _faults(entry: object, codes: tuple[str, ...]) -> Iterator[tuple[str, str, str]]:
    """What is wrong with an entry by itself: what, expected, found."""
    if not isinstance(entry, dict):
        yield "this is no claim", "a table of texts", repr(entry)[:60]
        return
    known = (*codes, *_TEXTS)
    for name in entry.keys() - set(known):
        yield "a claim has no such field", " or ".join(known), name
    for name in known:
        value = entry.get(name)
        listed = name in codes and isinstance(value, list) and value
        if name in entry and not all(map(is_words, value if listed else [value])):
            yield f"{name} is no text in one line", f'{name} = "..."', repr(value)[:60]
        elif name in codes and name not in entry:
            yield "a language is missing", f'{name} = "the sentence of that page"', "none"
    tried = {"scope", "test"} & entry.keys()
    if (len(tried) == 2) == ("untested" in entry) or len(tried) == 1:
        found = ", ".join(sorted(tried | ({"untested"} & entry.keys()))) or "neither"
        yield "was it tried or not?", "scope and test, or untested, the reason", found
    elif entry.get("untested") not in (None, *UNTESTED):
        yield "this is no reason to try nothing", " or ".join(UNTESTED), entry["untested"]


def _listed(value: str | list[str]) -> tuple[str, ...]:
    """The sentences, filled in as those of the page are."""
    return tuple(map(fill_placeholders, [value] if isinstance(value, str) else value))


def _problem(
    file: str, line: int, pages: tuple[str, ...], what: str, expected: str, found: str
) -> Problem:
    return Problem(file, line, what, expected, found, f"correct the claim in {file}", pages)
