"""All directives that the pages of a book may use: proofbook's own, and the book's own.

A book adds directives with the option `directives` of the plugin, which names Python files or
folders of them. Such a file sets `DIRECTIVES`, a list of `Directive`.
"""

from __future__ import annotations

import contextlib
import sys
import traceback
import types
from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from pathlib import Path

from proofbook.content import glossary, lessons, questions, report, torch_versions
from proofbook.directives import Directive, do_this, guess, paste
from proofbook.directives.snippet import SNIPPET
from proofbook.directives.varied_figure import asked
from proofbook.markdown.spans import LESSONS, OPTIONS, PART, Option, Reference
from proofbook.model.book import Book, read_book
from proofbook.model.cache import Store
from proofbook.model.config import FILE, BookConfig
from proofbook.model.page import Page
from proofbook.model.problem import Problem, Unproved


def book_parts(config: BookConfig) -> tuple[Directive, ...]:
    """The directives; those for TOML files are named after the files, which a book may choose."""

    def part(name: str, read: Callable, entries: Callable) -> Directive:
        return Directive(name, partial(_part, read, entries), PART)

    def whole(name: str, lines: Callable[[str, Book], list[str]]) -> Directive:
        return Directive(name, lambda _, page, book: lines(page.file, book))

    return (
        part(config.glossary, glossary.read_terms, glossary.entries),
        part(config.questions, questions.read_questions, questions.entries),
        Directive(lessons.NAME, lessons.lessons, LESSONS),
        guess.DIRECTIVE,
        do_this.DIRECTIVE,
        paste.DIRECTIVE,
        whole(report.NAME, report.table),
        whole(report.VERSIONS, report.versions),
        whole(report.CHANGED_DIGITS, report.changed_digits_in_words),
        whole(report.CLAIMS, report.claims),
        whole(torch_versions.TABLE, torch_versions.table),
    )


def _part(read: Callable, entries: Callable, reference: Reference, page: Page, book: Book):
    part = reference.option("part") or ""
    if lines := entries(page, part, read(book), book):
        return lines
    what, expected = "this names no part of the file", "part: <a part that stands in {}>"
    fix, expected = "correct the part below this line", expected.format(reference.path)
    raise Unproved([page.problem(reference.line, what, expected, f"part: {part or None}", fix)])


def directives_of(book: Book) -> tuple[Directive, ...]:
    """The directives of a book; raises `Unproved` where a file of its own fails."""
    texts = tuple((file, book.text(file)) for file in _files(book))
    return _loaded(book.root, book.config, texts)


def read_with_results(root: Path, store: Store) -> Book:
    """The book in `root` with the cached results; raises `Unproved` if its settings are wrong.

    Its own directives are loaded first: results name the functions in them.
    """
    book = read_book(root)
    with contextlib.suppress(Unproved):  # which the pages that use them report
        directives_of(book)
    return Book(book.root, book.config, book.sources, store.load_memo())


def directive_of(reference: Reference, book: Book) -> Directive:
    """The directive that a page names; an unknown one is taken for a snippet."""
    return next((one for one in directives_of(book) if one.matches(reference.path)), SNIPPET)


def declared_options(book: Book) -> dict[str, Option]:
    """The options of all directives of a book, by their names; without its own directives if these
    cannot be loaded, which is reported elsewhere."""
    try:
        known = directives_of(book)
    except Unproved:
        return OPTIONS
    return {name: option for each in known for name, option in each.options.items()}


def traced_scripts(book: Book) -> frozenset[str]:
    """The scripts that are recorded, because a page shows their trace."""
    return frozenset().union(*(book.fact(_traced_on, file) for file in book.page_files))


def varied_scripts(book: Book) -> dict[str, tuple[str, ...]]:
    """The scripts in which a page lets a reader change numbers, with its options."""
    found: dict[str, tuple[str, ...]] = {}
    for file in book.page_files:
        found |= book.fact(_varied_on, file)
    return found


def _varied_on(book: Book, file: str) -> dict[str, tuple[str, ...]]:
    references = book.page(file).references
    return {r.path: varied for r in references if SNIPPET.matches(r.path) and (varied := asked(r))}


def _traced_on(book: Book, file: str) -> frozenset[str]:
    shown = (r for r in book.page(file).references if r.option("figure") == "trace")
    return frozenset(r.path for r in shown if SNIPPET.matches(r.path))


@lru_cache(maxsize=8)
def _loaded(
    root: Path, config: BookConfig, texts: tuple[tuple[str, str], ...]
) -> tuple[Directive, ...]:
    modules = [load_module(root / file, file, text) for file, text in texts]
    own = [directive for module in modules for directive in module.DIRECTIVES]
    return (*own, *book_parts(config), SNIPPET)


def wrong_options(page: Page, reference: Reference, directive: Directive) -> Iterator[Problem]:
    """Options that the directive doesn't know, or that are given twice."""
    keys = [key for key, *_ in reference.options]
    for key, value, line in reference.options:
        found = f"{key}: {value}" if value else key
        if key not in directive.options:
            forms = [option.form for option in directive.options.values()]
            expected = " or ".join(forms) or "no option"
            what, fix = "unknown option", "correct or remove this line"
        elif keys.count(key) > 1 and not directive.options[key].repeatable:
            what, expected, fix = "the option stands twice", "one", "remove one"
        else:
            continue
        yield page.problem(line, what, expected, found, fix)


def _files(book: Book) -> Iterator[str]:
    for path in book.config.directives:
        files = [path] if path.endswith(".py") else book.files(path.rstrip("/"), ".py")
        if not files or not book.has(files[0]):
            what, fix = "the directives of the book are not there", "correct the option directives"
            raise Unproved([Problem(FILE, 1, what, "a Python file or a folder", path, fix)])
        yield from files


def load_module(path: Path, name: str, text: str) -> types.ModuleType:
    """The module in a Python file that sets `DIRECTIVES`; raises `Unproved` where it fails.

    No bytecode is written next to it: the folder may be one that `mkdocs serve` watches.
    """
    module = types.ModuleType(f"proofbook_directives_{path.stem}")
    module.__file__ = str(path)
    sys.modules[module.__name__] = module  # where dataclasses look for their annotations
    try:
        exec(compile(text, str(path), "exec"), module.__dict__)
        module.DIRECTIVES = tuple(module.DIRECTIVES)
    except Exception as error:
        frames = traceback.extract_tb(error.__traceback__)
        line = next((f.lineno for f in reversed(frames) if f.filename == str(path)), None)
        said = "".join(traceback.format_exception_only(error)).strip()
        what, expected = "the directives cannot be loaded", "a file that sets DIRECTIVES"
        problem = Problem(name, line or 1, what, expected, said, "correct this file")
        raise Unproved([problem]) from error
    return module


def expand(page: Page, book: Book) -> str:
    """The page as plain Markdown; raises `Unproved` with the problems of all its directives."""
    problems: list[Problem] = []
    lines = page.text.split("\n")
    expanded: list[str] = []
    at = 0
    for reference in page.references:
        expanded += lines[at : reference.line - 1]
        at = reference.end
        try:
            expanded += expand_reference(reference, page, book)
        except Unproved as unproved:
            problems += unproved.problems
    if problems:
        raise Unproved(problems)
    return "\n".join(expanded + lines[at:])


def wrong_directives(page: Page, book: Book) -> Iterator[Problem]:
    """The directives of a page that cannot be shown."""
    try:
        expand(page, book)
    except Unproved as unproved:
        yield from unproved.problems


def expand_reference(reference: Reference, page: Page, book: Book) -> list[str]:
    """The expansion of one directive of a page; raises `Unproved`."""
    directive = directive_of(reference, book)
    problems: list[Problem] = []
    try:
        lines = directive.expand(reference, page, book)
    except Unproved as unproved:
        problems += unproved.problems
    problems += wrong_options(page, reference, directive)
    if problems:
        raise Unproved(problems)
    return lines
