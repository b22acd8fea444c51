"""The book: pages in two languages, scripts and their outputs, and what must hold between them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

from proofbook.api.inventory import wrong_inventories
from proofbook.check.api_names import Names
from proofbook.check.links import wrong_links
from proofbook.check.numbers import unproved_values
from proofbook.content.glossary import Terms, read_terms
from proofbook.content.questions import as_pages, in_the_file, read_questions, wrong_questions
from proofbook.directives.directive import Directive
from proofbook.directives.registry import directive_of, directives_of
from proofbook.languages.parity import problems_between
from proofbook.languages.reconcile import edited_alone
from proofbook.markdown.expand import expand
from proofbook.maths.check import wrong_equalities
from proofbook.model.config import BookConfig, read_config
from proofbook.model.older_outputs import VERSION, older_file
from proofbook.model.page import Page, parse, read
from proofbook.model.problem import Problem, Unproved, not_utf8
from proofbook.model.snippet import Run, runs_of

TAKEN = sys.stdlib_module_names | {
    *("torch", "numpy", "filelock", "fsspec", "jinja2", "markupsafe", "mpmath", "networkx"),
    *("setuptools", "sympy", "torchgen", "typing_extensions"),
}
"""Names that no script may have: the modules of Python, and those that torch imports."""


@dataclass(frozen=True)
class Book:
    """Everything that stands in the files, read once. Paths are relative to `root`, with `/`."""

    root: Path
    pages: tuple[Page, ...]
    scripts: tuple[str, ...]
    outputs: tuple[str, ...]
    older: tuple[str, ...]
    traces: tuple[str, ...]
    unreadable: tuple[Problem, ...]
    config: BookConfig
    directives: tuple[Directive, ...]

    @property
    def traced(self) -> frozenset[str]:
        """The scripts of which a page shows what autograd did: those that are recorded."""
        shown = (r for page in self.pages for r in page.references)
        scripts = (directive_of(r, self.directives).recording(r) for r in shown)
        return frozenset(script for script in scripts if script)

    def users(self, script: str) -> tuple[str, ...]:
        """The pages that show a script."""
        return tuple(p.file for p in self.pages if any(r.path == script for r in p.references))

    @cached_property
    def runs(self) -> Callable[[str], tuple[Run, ...]]:
        """What the runs of a page say and print, by the file of the page; read once."""
        pages = {page.file: page for page in self.pages}
        return cache(lambda file: runs_of(pages[file], self.root) if file in pages else ())


def read_book(root: Path) -> Book:
    """Read the book that lies in `root`: `docs/`, `snippets/`, its settings and its directives.

    Raises `Unproved` where the settings are wrong or a directive of its own cannot be loaded.
    """
    pages: list[Page] = []
    unreadable: list[Problem] = []

    def files(folder: str, pattern: str) -> list[str]:
        found = (p.relative_to(root) for p in (root / folder).rglob(pattern) if p.is_file())
        # What begins with a dot belongs to an editor: its copies, its locks.
        return sorted(p.as_posix() for p in found if not any(x.startswith(".") for x in p.parts))

    def text(file: str) -> str | None:
        try:
            return read(root / file)
        except UnicodeDecodeError as error:
            pages = (file,) if file.endswith(".md") else ()
            unreadable.append(not_utf8(file, error, pages))
            return None

    for file in files("docs", "*.md"):
        if (content := text(file)) is not None:
            pages.append(parse(file, content))
    scripts, outputs = files("snippets", "*.py"), files("snippets", "*.out")
    older, traces = files("snippets", "*.then"), files("snippets", "*.trace")
    for file in scripts + outputs + older + traces:
        text(file)
    texts = map(tuple, (pages, scripts, outputs, older, traces, unreadable))
    config = read_config(root)
    return Book(root, *texts, config, directives_of(root, config))


def problems_in_files(book: Book) -> list[Problem]:
    """What can be seen to be wrong without running anything."""
    found = list(book.unreadable)
    try:
        terms = read_terms(book.root)
    except Unproved as unproved:
        found += unproved.problems
        terms = Terms()
    checks = Checks(book, terms)
    for page in book.pages:
        found += checks.of_page(page)
    found += checks.of_questions()
    found += checks.names.unknown
    found += checks.between(book.pages)
    found += edited_alone(book.pages, book.root)
    found += wrong_inventories(book.root, book.config.inventories)
    found += _strays(book)
    found += _shadows(book)
    return found


@dataclass(frozen=True)
class Checks:
    """What is checked on the pages of a book: as they are, or as one of them might be."""

    book: Book
    terms: Terms

    @cached_property
    def names(self) -> Names:
        """The check of the names of PyTorch."""
        return Names(self._pages, self.book.root, self.book.scripts)

    @cached_property
    def _pages(self) -> dict[str, Page]:
        return {page.file: page for page in self.book.pages}

    def of_page(self, page: Page) -> Iterator[Problem]:
        """What is wrong with a page by itself, whatever its other language says."""
        try:
            expand(page, self.book)
        except Unproved as unproved:
            yield from unproved.problems
        yield from _typed_code(page)
        yield from _raw_text(page)
        yield from _anchors(page)
        yield from self.terms.wrong_words(page)
        yield from wrong_equalities(page, self.book.runs(page.file))
        yield from unproved_values(page, self.book.runs)
        yield from self.names.wrong(page)
        terms = {term.id for term in self.terms.all}
        yield from wrong_links(page, self._pages, terms, self.book.root)

    def of_questions(self) -> list[Problem]:
        """What is wrong with the list of questions: their words, and where they lead."""
        root, terms = self.book.root, {term.id for term in self.terms.all}
        try:
            questions = read_questions(root)
        except Unproved as unproved:
            return list(unproved.problems)
        found = []
        for page in as_pages(questions):
            found += [*self.terms.wrong_words(page), *self.names.wrong(page)]
            found += wrong_links(page, self._pages, terms, root)
        return wrong_questions(questions, self._pages, self._shown) + list(map(in_the_file, found))

    def between(self, pages: Sequence[Page]) -> list[Problem]:
        """Where the two versions of a page part; `pages` are all, or those of one name."""
        unreadable = {problem.file for problem in self.book.unreadable}
        return problems_between(pages, unreadable, self.terms, self._shown)

    def _shown(self, page: Page) -> str:
        return "\n".join(run.text for run in self.book.runs(page.file))


def _typed_code(page: Page) -> Iterator[Problem]:
    for line in page.typed_python:
        yield Problem(
            page.file,
            line,
            "Python code is typed into the page, so nothing runs it",
            "code in a script below snippets/, named with ::: snippets/<topic>/<name>.py",
            "a python fence",
            "move it: proofbook new <topic>/<name>; what cannot run stands in a fence of text",
            (page.file,),
        )
    for line in page.markers:
        yield Problem(
            page.file,
            line,
            "a test marker is typed into the page",
            "no marker: each block is run and compared as it is shown",
            page.line(line).strip(),
            "remove this line",
            (page.file,),
        )


def _raw_text(page: Page) -> Iterator[Problem]:
    for line in page.strays:
        yield Problem(
            page.file,
            line,
            "this would stand in the page as text",
            "::: snippets/<topic>/<name>.py in a line of its own, its options indented by four "
            "blanks below it; every code fence closed",
            page.line(line),
            "correct this line",
            (page.file,),
        )


def _anchors(page: Page) -> Iterator[Problem]:
    seen: set[str] = set()
    for heading in page.headings:
        if heading.anchor in seen:
            yield Problem(
                page.file,
                heading.line,
                "two headings of the page have the same anchor",
                "each anchor once",
                page.line(heading.line),
                "give this heading another anchor, in both languages",
                (page.file,),
            )
        seen.add(heading.anchor or "")
    for heading in page.headings:
        if heading.anchor is None:
            yield Problem(
                page.file,
                heading.line,
                "the heading has no anchor of its own",
                "an English anchor, the same in both languages: ## 标题 { #title }",
                page.line(heading.line),
                "add { #anchor } to the end of this line",
                (page.file,),
            )


def _strays(book: Book) -> Iterator[Problem]:
    for output in book.outputs:
        script = output.removesuffix(".out") + ".py"
        if script not in book.scripts:
            yield Problem(
                output,
                1,
                "a recorded output without its script",
                f"a file {script}",
                "no such file",
                f"delete {output}, or bring the script back",
            )
    shown = {
        older_file(Path(r.path), version).as_posix()
        for page in book.pages
        for r in page.references
        for version in r.then
        if VERSION.fullmatch(version)
    }
    for file in book.older:
        if file not in shown:
            yield Problem(
                file,
                1,
                "no page shows what an older PyTorch printed here",
                "a page with the option then: <version> on this snippet",
                "none",
                f"name it on a page in both languages, or delete {file}",
            )
    for file in book.traces:
        if file.removesuffix(".trace") + ".py" not in book.traced:
            yield Problem(
                file,
                1,
                "no page shows this recording",
                "a page with the option figure: trace on this snippet",
                "none",
                f"name it on a page in both languages, or delete {file}",
            )
    for script in book.scripts:
        if not book.users(script):
            yield Problem(
                script,
                1,
                "no page shows this script",
                f"a page with the line ::: {script}",
                "none",
                "name it on a page in both languages, or delete the script and its .out",
            )


def _shadows(book: Book) -> Iterator[Problem]:
    """`python snippets/x/random.py` would make `import random` load the snippet."""
    for script in book.scripts:
        if (name := script.removesuffix(".py").split("/")[-1]) in TAKEN:
            yield Problem(
                script,
                1,
                "the script has the name of a Python module",
                "a name that no module has",
                name,
                "rename the script, its .out and the pages' references",
                book.users(script),
            )
