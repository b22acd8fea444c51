"""Exercises in which a reader writes a part of a script, in the notebook of the page.

::: snippets/gradient/stop_later.py
    write: y = 2 * y | double it

The page shows the script as the solution; the notebook has it without these lines, and a cell that
checks what the reader's program prints. `proofbook.export.notebook` makes these cells.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from proofbook.markdown.spans import SNIPPET_OPTIONS, Reference
from proofbook.model.page import Page
from proofbook.model.problem import Problem

PLACEHOLDER = "data-write"
"""The attribute of the element that becomes the link to the notebook: how many lines to write."""
_WITH_VALUE = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Return)


def to_write(reference: Reference) -> list[tuple[str, str]]:
    """The lines of a script that a reader writes, each with a hint."""
    return [(text, hint) for text, hint, _ in reference.worded("write")]


def start_code(code: str, wanted: Sequence[tuple[str, str]]) -> str:
    """The code without these lines: `...` in place of their values, and the hint."""
    lines = code.split("\n")
    for text, hint in wanted:
        if statement := _statement(code, text):
            value = statement.value if isinstance(statement, _WITH_VALUE) else None
            at = value.col_offset if value else statement.col_offset
            number = statement.lineno - 1
            lines[number] = f"{lines[number][:at]}...  # {hint}"
    return "\n".join(lines)


def placeholder(reference: Reference) -> list[str]:
    """The lines of Markdown above the script, for `proofbook.html.exercises`."""
    count = len(to_write(reference))
    return [f'<span {PLACEHOLDER}="{count}"></span>', ""] if count else []


def problems(page: Page, reference: Reference, code: str) -> Iterator[Problem]:
    """The options `write` that name no statement of one line, or have no hint."""
    for text, hint, line in reference.worded("write"):
        if not hint or _statement(code, text) is None:
            what = "this is not a line that a reader can write"
            expected = f"{SNIPPET_OPTIONS['write'].form}; the line is a whole statement"
            found, fix = f"write: {text} | {hint}", "name another line, and say what it is to do"
            yield page.problem(line, what, expected, found, fix)


def _statement(code: str, text: str) -> ast.stmt | None:
    """The statement in the only line that has a text, if that line is the whole of it."""
    numbers = [n for n, line in enumerate(code.split("\n"), 1) if text and text in line]
    try:
        nodes = list(ast.walk(ast.parse(code)))
    except SyntaxError:  # the run reports the error
        return None
    found = [
        node
        for node in nodes
        if isinstance(node, ast.stmt)
        and not hasattr(node, "body")
        and [node.lineno] == numbers == [node.end_lineno]
    ]
    return found[0] if len(found) == 1 else None
