"""All directives that the pages of a book may use: those of proofbook, and those of the book alone.

A book adds its own with the option `directives` of the plugin, which names Python files or folders
of them. Such a file sets `DIRECTIVES`, a list of `Directive`.
"""

from __future__ import annotations

import sys
import traceback
import types
from collections.abc import Iterator, Sequence
from pathlib import Path

from proofbook.directives.book_parts import book_parts
from proofbook.directives.directive import Directive
from proofbook.directives.snippet import SNIPPET
from proofbook.model.config import FILE, BookConfig
from proofbook.model.page import Page, Reference
from proofbook.model.problem import Problem, Unproved


def directives_of(root: Path, config: BookConfig) -> tuple[Directive, ...]:
    """The directives of the book in `root`; raises `Unproved` where a file of its own fails."""
    modules = [load_module(root, file) for file in _files(root, config.directives)]
    own = [directive for module in modules for directive in module.DIRECTIVES]
    return (*own, *book_parts(config), SNIPPET)


def directive_of(reference: Reference, directives: Sequence[Directive]) -> Directive:
    """The directive that a page names; what no other one knows is taken for a snippet."""
    return next((one for one in directives if one.matches(reference.path)), SNIPPET)


def wrong_options(page: Page, reference: Reference, directive: Directive) -> Iterator[Problem]:
    """Options that the directive doesn't know, or that are given twice."""
    keys = [key for key, *_ in reference.options]
    for key, value, line in reference.options:
        found = f"{key}: {value}" if value else key
        if key not in directive.options:
            expected = " or ".join(directive.options.values()) or "no option"
            what, mend = "unknown option", "correct or remove this line"
        elif keys.count(key) > 1 and key not in directive.repeatable:
            what, expected, mend = "the option stands twice", "one", "remove one"
        else:
            continue
        yield Problem(page.file, line, what, expected, found, mend, (page.file,))


def _files(root: Path, paths: Sequence[str]) -> Iterator[Path]:
    for path in paths:
        place = root / path
        if not place.exists():
            what, mend = "the directives of the book are not there", "correct the option directives"
            raise Unproved([Problem(FILE, 1, what, "a Python file or a folder", path, mend)])
        yield from sorted(place.glob("*.py")) if place.is_dir() else [place]


def load_module(root: Path, file: Path) -> types.ModuleType:
    """The module in a Python file that sets `DIRECTIVES`; raises `Unproved` where it fails.

    No bytecode is written beside it: the folder may be one that `mkdocs serve` watches.
    """
    name = file.relative_to(root).as_posix() if file.is_relative_to(root) else str(file)
    module = types.ModuleType(f"proofbook_directives_{file.stem}")
    module.__file__ = str(file)
    sys.modules[module.__name__] = module  # where dataclasses look for their annotations
    try:
        exec(compile(file.read_bytes(), str(file), "exec"), module.__dict__)
        module.DIRECTIVES = tuple(module.DIRECTIVES)
    except Exception as error:
        frames = traceback.extract_tb(error.__traceback__)
        line = next((f.lineno for f in reversed(frames) if f.filename == str(file)), None)
        said = "".join(traceback.format_exception_only(error)).strip()
        what, expected = "the directives cannot be loaded", "a file that sets DIRECTIVES"
        problem = Problem(name, line or 1, what, expected, said, "correct this file")
        raise Unproved([problem]) from error
    return module
