"""All directives that the pages of a book may use: those of proofbook, and those of the book alone.

A book adds its own with the option `directives` of the plugin, which names Python files or folders
of them. Such a file sets `DIRECTIVES`, a list of `Directive`.
"""

from __future__ import annotations

import sys
import traceback
import types
from collections.abc import Iterator
from pathlib import Path

from proofbook.directives.book_parts import book_parts
from proofbook.directives.directive import Directive
from proofbook.directives.options import OPTIONS, Option
from proofbook.directives.snippet import SNIPPET
from proofbook.model.book import Book
from proofbook.model.config import FILE, BookConfig
from proofbook.model.page import Page, Reference
from proofbook.model.problem import Problem, Unproved


def directives_of(book: Book) -> tuple[Directive, ...]:
    """The directives of a book; raises `Unproved` where a file of its own fails."""
    texts = tuple((file, book.text(file)) for file in _files(book))
    return book.resource(_loaded, book.root, book.config, texts)


def directive_of(reference: Reference, book: Book) -> Directive:
    """The directive that a page names; what no other one knows is taken for a snippet."""
    return next((one for one in directives_of(book) if one.matches(reference.path)), SNIPPET)


def declared_options(book: Book) -> dict[str, Option]:
    """The options of all directives of a book, by their names; of its own ones that cannot be
    loaded, which is reported elsewhere, none."""
    try:
        known = directives_of(book)
    except Unproved:
        return OPTIONS
    return {name: option for each in known for name, option in each.options.items()}


def traced_scripts(book: Book) -> frozenset[str]:
    """The scripts that are recorded, because a page shows what autograd did in them."""
    return frozenset().union(*(book.fact(_traced_on, file) for file in book.page_files))


def varied_scripts(book: Book) -> dict[str, tuple[str, ...]]:
    """The scripts in which a page lets a reader change numbers, with what it says of them."""
    found: dict[str, tuple[str, ...]] = {}
    for file in book.page_files:
        found |= book.fact(_varied_on, file)
    return found


def _varied_on(book: Book, file: str) -> dict[str, tuple[str, ...]]:
    references = book.page(file).references
    found = ((each.path, directive_of(each, book).varied(each)) for each in references)
    return {script: varied for script, varied in found if varied}


def _traced_on(book: Book, file: str) -> frozenset[str]:
    references = book.page(file).references
    scripts = (directive_of(reference, book).recording(reference) for reference in references)
    return frozenset(script for script in scripts if script)


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
            what, mend = "unknown option", "correct or remove this line"
        elif keys.count(key) > 1 and not directive.options[key].repeatable:
            what, expected, mend = "the option stands twice", "one", "remove one"
        else:
            continue
        yield page.problem(line, what, expected, found, mend)


def _files(book: Book) -> Iterator[str]:
    for path in book.config.directives:
        files = [path] if path.endswith(".py") else book.files(path.rstrip("/"), ".py")
        if not files or not book.has(files[0]):
            what, mend = "the directives of the book are not there", "correct the option directives"
            raise Unproved([Problem(FILE, 1, what, "a Python file or a folder", path, mend)])
        yield from files


def load_module(path: Path, name: str, text: str) -> types.ModuleType:
    """The module in a Python file that sets `DIRECTIVES`; raises `Unproved` where it fails.

    No bytecode is written beside it: the folder may be one that `mkdocs serve` watches.
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
