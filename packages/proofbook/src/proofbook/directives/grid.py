"""`figure: grid`: tensors printed by a snippet as tables of cells, shaded by size, in HTML.

`links` says which cells belong together, as in an einsum, and `reader.js` lights those of a cell:
"[i+a, j+b] * [a, b] = [i, j]" is a convolution of the first tensor with the second one.
"""

from __future__ import annotations

import html
import itertools
import json
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gradtrace.drawing.figure import format_sentence

from proofbook.markdown.spans import SNIPPET_OPTIONS, Reference
from proofbook.model.config import in_language
from proofbook.model.page import Page
from proofbook.model.problem import Problem

TAG = "linked-grids"
"""The element whose cells `reader.js` lights."""
_TENSOR = re.compile(r"tensor\((\[.*?\])((?:,\s*[a-z_]+=[^,()]+(?:\([^()]*\))?)*)\)", re.DOTALL)
_ROW = re.compile(r"\[([^\[\]]*)\]")
_INDEX = re.compile(r"\s*(?:(\+|-)\s*)?(?:(\d+)\[([a-z])\]|(\d*)([a-z])|(\d+))")
_BOUND = re.compile(r"\s+for\s+([a-z](?:\s*,\s*[a-z])*)\s*<\s*(\d+)\s*$")
_PLACE = re.compile(r"(\d+)\s*\[(\d+),\s*(\d+)\]")
_PIXELS = 6
"""A matrix with more columns is a picture: its cells are small, and show no numbers."""
LEFT_OUT = "-"
"""The caption of a tensor that is not drawn, the links of one that has none."""
_WORDS = {
    "zh": {
        "zero": "其余各项是 0",
        "more": "等 {} 个",
        "choose": "点一格，或用方向键：与它有关的格子会框出来。",
    },
    "en": {
        "zero": "the other products are 0",
        "more": "{} in all",
        "choose": "Choose a cell, or use the arrow keys: the cells that belong to it are framed.",
    },
}

Matrix = list[list[str]]
Expression = list[tuple[int, str, int]]
"""An index: terms of a factor, a letter ("" for a number alone), and the number of the tensor that
has the value at this place (0: the letter is the value)."""


@dataclass(frozen=True)
class Links:
    """Which cells belong together: for each tensor its indices (none if it has no links); the
    tensors that are multiplied, and that of the sums, by their numbers; how far letters go."""

    items: list[list[Expression]]
    factors: list[int]
    total: int | None
    bounds: dict[str, int]


def tensors(output: str) -> list[tuple[int, str]]:
    """The tensors with dimensions in the output of a snippet: their number, and their text."""
    found = (re.sub(r"\s", "", tensor[1]) for tensor in _TENSOR.finditer(output))
    return [(len(text) - len(text.lstrip("[")), text) for text in found]


def matrix(dimensions: int, text: str) -> Matrix:
    """A printed tensor as rows of printed numbers; one of one dimension is a row.

    Raises `ValueError` if it has more than two dimensions, or an entry is not a finite number, such
    as the `...` of a truncated tensor.
    """
    if dimensions > 2:
        raise ValueError("a tensor of more than two dimensions")
    rows = [row.split(",") for row in _ROW.findall(text)]
    if any(len(row) != len(rows[0]) for row in rows):
        raise ValueError("rows of different lengths")
    if not all(_is_finite(number) for row in rows for number in row):
        raise ValueError("an entry that is not a finite number")
    return rows


def problems(page: Page, reference: Reference, output: str) -> Iterator[Problem]:
    """The reasons why the grid cannot be drawn: each tensor of the output needs its own caption,
    and the sums that the links promise must be what was printed."""
    given, count = reference.listed("captions"), len(tensors(output))
    expected = f"captions: <one for each tensor, or {LEFT_OUT}, with | between them>: "
    expected += f"{count} in the recorded output"
    found = f"{len(given)} captions" if not count or count != len(given) else ""
    try:
        if not found:
            draw(reference, output, page.language)
            return
    except ValueError as error:
        expected, found = "tensors of numbers, and links between them that hold", str(error)
    fix = "correct the options below this line"
    yield page.problem(reference.line, "the figure cannot be drawn", expected, found, fix)


def _is_finite(number: str) -> bool:
    try:
        return math.isfinite(float(number))
    except ValueError:
        return False


def draw(reference: Reference, output: str, language: str) -> list[str]:
    """Lines of HTML: each tensor with its caption, its cells shaded in proportion to their size.

    A cell holds the number as it was printed, without the zeros and the point at its end. Raises
    `ValueError` where the tensors cannot be drawn or linked.
    """
    named = zip(tensors(output), reference.listed("captions"), strict=True)
    shown = [(each, caption) for each, caption in named if caption != LEFT_OUT]
    grids = [matrix(*tensor) for tensor, _ in shown]
    parts = parse_links(reference.option("links") or "", len(grids))
    for number, item in itertools.chain.from_iterable(enumerate(part.items) for part in parts):
        if (
            len(grids[number]) == 1
            and shown[number][0][0] == 1
            and item
            and item[1] == [(0, "", 0)]
        ):
            grids[number] = [[each] for each in grids[number][0]]  # [i, 0]: a column
    groups = [group for part in parts for group in cell_groups(part, grids)]
    lit = _lit(reference.option("lit"), grids, groups)
    tables = [
        _table(grid, caption, lit, first)
        for grid, (_, caption), first in zip(grids, shown, _offsets(grids), strict=True)
    ]
    sums = [(part.factors, part.total) for part in parts if part.total is not None]
    return framed(tables, groups, reference.option("caption"), language, sums)


def framed(
    tables: Sequence[str],
    groups: list[list[int]],
    notice: str | None,
    language: str,
    sums: Sequence[tuple[list[int], int | None]] = (),
) -> list[str]:
    """Lines of HTML: tables next to each other, the cells that belong together (by their numbers,
    -1 for none), and below them what to notice."""
    opened, closed = '<div class="grids">', "</div>"
    if groups:
        data = {"sums": sums, "groups": groups, "words": in_language(_WORDS, language)}
        told = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
        opened = f'<{TAG} class="grids" data-links="{html.escape(told)}">'
        closed = f'<p class="said" role="status" data-search-exclude></p></{TAG}>'
    lines = ['<figure class="pictured">', opened, *tables, closed]
    if notice:
        words = format_sentence(notice)
        lines.append(f"<figcaption>{words}</figcaption>")
    drawn = [*lines, "</figure>"] if groups or notice else lines[1:]
    return "\n".join(drawn).split("\n")


def parse_links(text: str, count: int) -> list[Links]:
    """The option `links`, for a number of tensors: one `Links` for each part, with ; between them.
    Raises `ValueError`."""
    return [_links(part.strip(), count) for part in text.split(";")] if text else []


def _links(text: str, count: int) -> Links:
    bounds: dict[str, int] = {}
    if bound := _BOUND.search(text):
        bounds = {letter.strip(): int(bound[2]) for letter in bound[1].split(",")}
        text = text[: bound.start()]
    parts = re.split(r"\s([*=|])\s", text)
    items, signs = [_indices(item.strip()) for item in parts[::2]], parts[1::2]
    if len(items) != count:
        raise ValueError(f"links of {len(items)} tensors, and {count} are drawn")
    total, factors = None, []
    if "=" in signs:
        first = last = signs.index("=")
        while first and signs[first - 1] == "*":
            first -= 1
        total, factors = last + 1, [n for n in range(first, last + 1) if items[n]]
    return Links(items, factors, total, bounds)


def _indices(item: str) -> list[Expression]:
    if item == LEFT_OUT:
        return []
    if not (item.startswith("[") and item.endswith("]")):
        raise ValueError(f"{item!r}, and not indices as [2i+a, j]")
    each = [_expression(part) for part in item[1:-1].split(",")]
    return [_expression("0"), *each] if len(each) == 1 else each


def _expression(text: str) -> Expression:
    terms = list(_INDEX.finditer(text))
    if "".join(term[0] for term in terms).strip() != text.strip() or not terms:
        raise ValueError(f"the index {text.strip()!r}")
    return [
        (
            int(number or factor or 1) * (-1 if sign == "-" else 1),
            place or letter or "",
            int(of or 0),
        )
        for sign, of, place, factor, letter, number in (term.groups() for term in terms)
    ]


def _offsets(grids: Sequence[Matrix]) -> list[int]:
    """The number of the first cell of each grid: cells are counted through the figure."""
    return [0, *itertools.accumulate(len(grid) * len(grid[0]) for grid in grids)][: len(grids)]


def cell_groups(links: Links, grids: Sequence[Matrix]) -> list[list[int]]:
    """For each choice of the letters the cells, one of each grid (-1: none, as in the padding).

    Raises `ValueError` if the sums of the products are not what was printed.
    """
    sizes = [(len(grid), len(grid[0])) for grid in grids]
    numbers = [[float(number) for row in grid for number in row] for grid in grids]
    terms = [term for item in links.items for index in item for term in index]
    ranges = {letter: max(itertools.chain(*sizes)) for _, letter, _ in terms if letter}
    for _, letter, of in terms:
        if of:
            ranges[letter] = min(ranges[letter], len(numbers[of - 1]))
    for item, size in zip(links.items, sizes, strict=True):
        for index, length in zip(item, size, strict=False):
            if len(index) == 1 and (letter := index[0][1]) and index[0] == (1, letter, 0):
                ranges[letter] = min(ranges[letter], length)
    ranges |= links.bounds
    groups = []
    for chosen in itertools.product(*map(range, ranges.values())):
        values = dict(zip(ranges, chosen, strict=True)) | {"": 1}
        group = []
        for item, first, (rows, columns) in zip(links.items, _offsets(grids), sizes, strict=True):
            at = [
                sum(f * (numbers[of - 1][values[x]] if of else values[x]) for f, x, of in index)
                for index in item
            ]
            inside = at and 0 <= at[0] < rows and 0 <= at[1] < columns
            group.append(int(first + at[0] * columns + at[1]) if inside else -1)
        if sum(cell >= 0 for cell in group) > 1 and group not in groups:
            groups.append(group)
    _check_sums(links, groups, [number for grid in numbers for number in grid])
    return groups


def _check_sums(links: Links, groups: list[list[int]], numbers: list[float]) -> None:
    if links.total is None:
        return
    sums: dict[int, float] = {}
    for group in groups:
        parts = [numbers[group[n]] if group[n] >= 0 else 0.0 for n in links.factors]
        target = group[links.total]
        sums[target] = sums.get(target, 0.0) + math.prod(parts)
    for cell, found in sums.items():
        if cell >= 0 and not math.isclose(found, numbers[cell], rel_tol=2e-3, abs_tol=2e-3):
            raise ValueError(
                f"products that add up to {found:g} where {numbers[cell]:g} is printed"
            )


def _lit(option: str | None, grids: Sequence[Matrix], groups: list[list[int]]) -> dict[int, str]:
    """The classes of the cells that are lit at first."""
    if not option:
        return {}
    place = _PLACE.fullmatch(option.strip())
    if not place or not 0 < int(place[1]) <= len(grids):
        raise ValueError(f"lit: {option}, and not {SNIPPET_OPTIONS['lit'].form}")
    number, row, column = int(place[1]) - 1, int(place[2]), int(place[3])
    chosen = _offsets(grids)[number] + row * len(grids[number][0]) + column
    lit = {cell: "lit" for group in groups if chosen in group for cell in group if cell >= 0}
    return lit | {chosen: "chosen"}


def _table(grid: Matrix, caption: str, lit: dict[int, str], first: int) -> str:
    largest = max(abs(float(number)) for row in grid for number in row) or 1.0
    kind = "grid pixels" if len(grid[0]) > _PIXELS else "grid"
    lines = [f'<table class="{kind}"><caption>{html.escape(caption)}</caption><tbody>']
    for at, row in enumerate(grid):
        place = first + at * len(row)
        lines.append(
            "<tr>"
            + "".join(
                cell(number, abs(float(number)) / largest, lit.get(place + n, ""))
                for n, number in enumerate(row)
            )
            + "</tr>"
        )
    return "\n".join([*lines, "</tbody></table>"])


def plain(number: str) -> str:
    """A number as it was printed, without the zeros and the point at its end."""
    return re.sub(r"\.0*(?=e|$)|(\.\d*?[1-9])0+(?=e|$)", r"\1", number)


def cell(number: str, share: float, kind: str = "") -> str:
    """The HTML of a cell, shaded by its share of the largest number."""
    classes = " ".join(filter(None, ("minus" if number.startswith("-") and share else "", kind)))
    named = f' class="{classes}"' if classes else ""
    shade = f' style="--share:{share:.0%}"' if share else ""
    return f"<td{named}{shade}>{plain(number)}</td>"
