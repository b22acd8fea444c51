"""`figure: grid`: matrices printed by a snippet as tables of cells, shaded by size, in HTML."""

from __future__ import annotations

import html
import math
import re
from collections.abc import Iterator

from proofbook.markdown.spans import Reference
from proofbook.model.page import Page
from proofbook.model.problem import Problem

_TENSOR = re.compile(r"tensor\((\[.*?\])((?:,\s*[a-z_]+=[^,()]+(?:\([^()]*\))?)*)\)", re.DOTALL)
_ROW = re.compile(r"\[([^\[\]]*)\]")


def matrices(output: str) -> list[list[list[str]]]:
    """The two-dimensional tensors in the output of a snippet, in order, as rows of printed numbers.

    Raises `ValueError` if a tensor has more dimensions, or an entry is not a finite number, such as
    the `...` of a truncated tensor.
    """
    found = []
    for tensor in _TENSOR.finditer(output):
        text = re.sub(r"\s", "", tensor[1])
        if text.startswith("[[["):
            raise ValueError("a tensor of more than two dimensions")
        if not text.startswith("[["):
            continue
        rows = [row.split(",") for row in _ROW.findall(text)]
        if any(len(row) != len(rows[0]) for row in rows):
            raise ValueError("rows of different lengths")
        if not all(_is_finite(number) for row in rows for number in row):
            raise ValueError("an entry that is not a finite number")
        found.append(rows)
    return found


def captions(reference: Reference) -> list[str]:
    """The captions that a page sets for the matrices, in order; [] if it sets none."""
    given = reference.option("captions")
    return [caption.strip() for caption in given.split("|")] if given else []


def problems(page: Page, reference: Reference, output: str) -> Iterator[Problem]:
    """The reasons why the grid cannot be drawn: each matrix of the output needs its own caption."""
    given = captions(reference)
    try:
        count = len(matrices(output))
        there = f"{count} in the recorded output"
    except ValueError as error:
        count, there = -1, f"the recorded output holds {error}"
    if not count or count != len(given):
        yield page.problem(
            reference.line,
            "the figure cannot be drawn",
            f"captions: <one for each matrix of the grid, with | between them>: {there}",
            f"{len(given)} captions",
            "correct the options below this line",
        )


def _is_finite(number: str) -> bool:
    try:
        return math.isfinite(float(number))
    except ValueError:
        return False


def draw(output: str, captions: list[str]) -> list[str]:
    """Lines of HTML: each matrix with its caption, its cells shaded in proportion to their size.

    A cell holds the number as it was printed, without the zeros and the point at its end.
    """
    lines = ['<div class="grids">']
    for matrix, caption in zip(matrices(output), captions, strict=True):
        largest = max(abs(float(number)) for row in matrix for number in row) or 1.0
        lines.append(f'<table class="grid"><caption>{html.escape(caption)}</caption><tbody>')
        for row in matrix:
            cells = "".join(_cell(number, abs(float(number)) / largest) for number in row)
            lines.append(f"<tr>{cells}</tr>")
        lines.append("</tbody></table>")
    return [*lines, "</div>"]


def _cell(number: str, share: float) -> str:
    shown = re.sub(r"\.0*(?=e|$)|(\.\d*?[1-9])0+(?=e|$)", r"\1", number)
    sign = ' class="minus"' if number.startswith("-") and share else ""
    shade = f' style="--share:{share:.0%}"' if share else ""
    return f"<td{sign}{shade}>{shown}</td>"
