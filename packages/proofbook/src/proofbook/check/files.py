"""The files of a book: each is used and in the navigation, and no script shadows a Python module.

MkDocs reports the same of the navigation in a build, which it stops if that is strict.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

from pathspec.gitignore import GitIgnoreSpec

from proofbook.directives.registry import traced_scripts, varied_scripts
from proofbook.model.book import Book
from proofbook.model.config import FILE
from proofbook.model.page import name_of
from proofbook.model.problem import Problem
from proofbook.model.varied_runs import ENDING

MODULE_NAMES = sys.stdlib_module_names | {
    *("torch", "numpy", "filelock", "fsspec", "jinja2", "markupsafe", "mpmath", "networkx"),
    *("setuptools", "sympy", "torchgen", "typing_extensions"),
}
"""Names that no script may have: Python's modules, and the ones that torch imports."""


def unused_files(book: Book) -> Iterator[Problem]:
    """Scripts that no page shows, and recordings without their script or their page."""
    scripts = set(book.scripts)
    for output in book.files("snippets", ".out"):
        script = output.removesuffix(".out") + ".py"
        if script not in scripts:
            what, expected = "a recorded output without its script", f"a file {script}"
            fix = f"delete {output}, or bring the script back"
            yield Problem(output, 1, what, expected, "no such file", fix)
    traced = book.fact(traced_scripts)
    for file in book.files("snippets", ".trace"):
        if file.removesuffix(".trace") + ".py" not in traced:
            what = "no page shows this recording"
            yield _unused(file, what, "the option figure: trace on this snippet")
    varied = book.fact(varied_scripts)
    for file in book.files("snippets", ENDING):
        if file.removesuffix(ENDING) + ".py" not in varied:
            yield _unused(file, "no page shows these runs", "the option vary: on this snippet")
    for script in book.scripts:
        if not book.pages_showing(script):
            what, expected = "no page shows this script", f"the line ::: {script}"
            yield _unused(script, what, expected, "the script and its .out")


def _unused(file: str, what: str, expected: str, files: str = "") -> Problem:
    """The problem of a file that no page shows; `files`: those to delete, by default this one."""
    fix = f"name it on a page, or delete {files or file}"
    return Problem(file, 1, what, f"a page with {expected}", "none", fix)


def shadowed_modules(book: Book) -> Iterator[Problem]:
    """Scripts with the name of a module: `import random` would load `snippets/x/random.py`."""
    for script in book.scripts:
        if (name := script.removesuffix(".py").split("/")[-1]) in MODULE_NAMES:
            what, expected = (
                "the script has the name of a Python module",
                "a name that no module has",
            )
            fix = "rename the script, its .out and the pages' references"
            yield Problem(script, 1, what, expected, name, fix, book.pages_showing(script))


def wrong_navigation(book: Book) -> Iterator[Problem]:
    """Entries of the navigation without a page, and pages without an entry.

    The latter if `validation: nav: omitted_files` is `warn`, as in `mkdocs build --strict`. Nothing
    in a book without `nav`.
    """
    navigation = book.config.navigation
    if not navigation.pages:
        return
    named = {name_of(f"docs/{entry}") for entry in navigation.pages}
    files: dict[str, tuple[str, ...]] = {}
    for file in book.page_files:
        files[name_of(file)] = (*files.get(name_of(file), ()), file)
    unreadable = {name_of(problem.file) for problem in book.unreadable}
    for entry in navigation.pages:
        if name_of(f"docs/{entry}") not in files.keys() | unreadable:
            yield Problem(
                FILE,
                _line_of(book, entry),
                "the navigation names a page that does not exist",
                f"a page docs/{entry.removesuffix('.md')}.<language>.md",
                "no such file",
                "correct this line, or write the page",
            )
    if not navigation.complete:
        return
    left_out = GitIgnoreSpec.from_lines(navigation.left_out.splitlines())
    for name, versions in files.items():
        if name not in named and not left_out.match_file(versions[0].removeprefix("docs/")):
            yield Problem(
                versions[0],
                1,
                "the page is not in the navigation",
                f"{name}.md in the nav of {FILE}",
                "no such entry",
                f"add - {name}.md to the nav of {FILE}",
                versions,
            )


def _line_of(book: Book, entry: str) -> int:
    """The line of the settings with an entry; 1 if an inherited file contains it."""
    rows = (book.root / FILE).read_text("utf-8").splitlines()
    return next((number for number, row in enumerate(rows, 1) if entry in row), 1)
