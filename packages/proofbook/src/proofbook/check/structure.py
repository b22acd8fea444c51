"""How pages and files are built, whatever they say: no typed code, stray markup or leftovers."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from proofbook.directives.registry import traced_scripts
from proofbook.model.book import Book
from proofbook.model.older_outputs import VERSION, older_file
from proofbook.model.page import Page
from proofbook.model.problem import Problem

TAKEN = sys.stdlib_module_names | {
    *("torch", "numpy", "filelock", "fsspec", "jinja2", "markupsafe", "mpmath", "networkx"),
    *("setuptools", "sympy", "torchgen", "typing_extensions"),
}
"""Names that no script may have: the modules of Python, and those that torch imports."""


def typed_code(page: Page, book: Book) -> Iterator[Problem]:
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


def stray_markup(page: Page, book: Book) -> Iterator[Problem]:
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


def heading_anchors(page: Page, book: Book) -> Iterator[Problem]:
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


def unused_files(book: Book) -> Iterator[Problem]:
    scripts = set(book.scripts)
    for output in book.files("snippets", ".out"):
        script = output.removesuffix(".out") + ".py"
        if script not in scripts:
            yield Problem(
                output,
                1,
                "a recorded output without its script",
                f"a file {script}",
                "no such file",
                f"delete {output}, or bring the script back",
            )
    shown = book.fact(_shown_older_outputs)
    for file in book.files("snippets", ".then"):
        if file not in shown:
            yield Problem(
                file,
                1,
                "no page shows what an older PyTorch printed here",
                "a page with the option then: <version> on this snippet",
                "none",
                f"name it on a page in both languages, or delete {file}",
            )
    traced = book.fact(traced_scripts)
    for file in book.files("snippets", ".trace"):
        if file.removesuffix(".trace") + ".py" not in traced:
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


def _shown_older_outputs(book: Book) -> frozenset[str]:
    return frozenset(
        older_file(reference.path, version)
        for page in book.pages
        for reference in page.references
        for version in reference.then
        if VERSION.fullmatch(version)
    )


def shadowed_modules(book: Book) -> Iterator[Problem]:
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
