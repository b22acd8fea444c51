"""Draws matrices that a snippet printed: a table of cells, shaded by size, as inline HTML."""

from __future__ import annotations

import html
import re

_MATRIX = re.compile(r"tensor\((\[\[[^\]]*\](?:,\s*\[[^\]]*\])*\])[^)]*\)")
_ROW = re.compile(r"\[([^\[\]]*)\]")


def matrices(output: str) -> list[list[list[float]]]:
    """The two-dimensional tensors in what a snippet printed, in order, as rows of numbers.

    Raises `ValueError` where an entry isn't a number, as the `...` of a tensor cut short.
    """
    return [
        [[float(number) for number in row.split(",")] for row in _ROW.findall(found[1])]
        for found in _MATRIX.finditer(output)
    ]


def draw(output: str, captions: list[str]) -> list[str]:
    """Lines of HTML: each matrix with its caption, its cells shaded in proportion to their size.

    A cell holds the number as it was printed, without zeros at its end.
    """
    told = ['<div class="grids">']
    for matrix, caption in zip(matrices(output), captions, strict=True):
        largest = max(abs(number) for row in matrix for number in row) or 1.0
        told.append(f'<table class="grid"><caption>{html.escape(caption)}</caption><tbody>')
        for row in matrix:
            cells = "".join(_cell(number, abs(number) / largest) for number in row)
            told.append(f"<tr>{cells}</tr>")
        told.append("</tbody></table>")
    return [*told, "</div>"]


def _cell(number: float, share: float) -> str:
    sign = ' class="minus"' if number < 0 else ""
    shade = f' style="--share:{share:.0%}"' if number else ""
    return f"<td{sign}{shade}>{number:.6g}</td>"
