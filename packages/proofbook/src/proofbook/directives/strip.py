"""`figure: strip`: memory as a strip of cells with the tensors that lie in it, in HTML.

What is drawn are the lines of the output that end in where a tensor lies and which version it has:

    h: tensor([1., 3., 5.]) version 1             a memory; the counter stands next to it
    first: tensor([1., 3.]) offset 0 stride 1     a tensor in the memory above
    saved for y: tensor([3.]) offset 1 version 1  a note of the memory and of its version then

A tensor that is printed before the first memory lies in that one.
"""

from __future__ import annotations

import html
import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass

from proofbook.directives import grid
from proofbook.markdown.spans import Reference
from proofbook.model.config import in_language
from proofbook.model.page import Page
from proofbook.model.problem import Problem

_LINE = re.compile(
    r"^[ ]*(?P<name>\S[^\n]*?):?[ ]tensor\((?P<numbers>[^()]*)\)"
    r"(?:,?[ ]offset[ ](?P<offset>\d+))?(?:,?[ ]stride[ ]\(?(?P<stride>[\d, ]+)\)?)?"
    r"(?:,?[ ]version[ ](?P<version>\d+))?$",
    re.MULTILINE,
)
_WORDS = {
    "zh": {"version": "版本 {}", "then": "存下时版本 {}", "now": "现在 {}"},
    "en": {"version": "version {}", "then": "version {} when saved", "now": "{} now"},
}


@dataclass(frozen=True)
class Row:
    """A tensor in a memory: its name, for each place its indices there, and the version, if any."""

    name: str
    places: dict[int, list[str]]
    version: str | None
    saved: bool


@dataclass(frozen=True)
class Memory:
    """A memory: its name, the numbers in it as printed, its version, and the tensors in it."""

    name: str
    numbers: list[str]
    version: str
    rows: list[Row]


def memories(output: str) -> list[Memory]:
    """The memories in the output of a snippet, in order. Raises `ValueError`."""
    found: list[Memory] = []
    early: list[Row] = []
    for line in _LINE.finditer(output):
        name, version, offset = line["name"], line["version"], line["offset"]
        numbers = re.findall(r"[^\[\],\s]+", line["numbers"])
        if version and offset is None and not name.startswith("saved"):
            found.append(Memory(name, numbers, version, [] if found else early))
        elif version or offset:
            row = Row(name, _places(line), version, name.startswith("saved"))
            (found[-1].rows if found else early).append(row)
    for memory in found:
        for row in memory.rows:
            if max(row.places) >= len(memory.numbers):
                raise ValueError(f"{row.name} is beyond the end of {memory.name}")
    return found


def _places(line: re.Match) -> dict[int, list[str]]:
    """Where the elements of a tensor lie: for each place their indices."""
    shape = _shape(line["numbers"])
    strides = [int(each) for each in re.findall(r"\d+", line["stride"] or "")]
    if not strides and len(shape) == 1:
        strides = [1]
    if len(strides) < len(shape):
        raise ValueError(f"the strides of {line['name']} are not printed")
    places: dict[int, list[str]] = {}
    for index in itertools.product(*map(range, shape)):
        at = int(line["offset"] or 0) + sum(i * s for i, s in zip(index, strides, strict=False))
        places.setdefault(at, []).append(f"[{', '.join(map(str, index))}]" if shape else "●")
    return places


def _shape(numbers: str) -> list[int]:
    text = re.sub(r"\s", "", numbers)
    if text.startswith("[["):
        rows = re.findall(r"\[([^\[\]]+)\]", text)
        return [len(rows), len(rows[0].split(","))]
    return [len(text.split(","))] if text.startswith("[") else []


def problems(page: Page, reference: Reference, output: str) -> Iterator[Problem]:
    """The reasons why the memory cannot be drawn: each memory needs its own caption."""
    expected = "captions: <one for each memory that is printed, with | between them>"
    try:
        count, given = len(memories(output)), len(reference.listed("captions"))
        found = f"{given} captions, and {count} lines as h: tensor([1., 2.]) version 0"
        if count and count == given:
            return
    except ValueError as error:
        found = str(error)
    fix = "correct the options below this line, or the script"
    yield page.problem(reference.line, "the figure cannot be drawn", expected, found, fix)


def draw(reference: Reference, output: str, language: str) -> list[str]:
    """Lines of HTML: each memory with its caption, its version, and the tensors in it."""
    words, tables, groups, first = in_language(_WORDS, language), [], [], 0
    for memory, caption in zip(memories(output), reference.listed("captions"), strict=True):
        width = len(memory.numbers)
        tables.append(_table(memory, caption, words))
        for place in range(width):
            rows = [n for n, row in enumerate(memory.rows, 1) if place in row.places]
            groups.append([first + n * width + place for n in (0, *rows)])
        first += width * (len(memory.rows) + 1)
    groups = [group for group in groups if len(group) > 1]
    return grid.framed(tables, groups, reference.option("caption"), language)


def _table(memory: Memory, caption: str, words: dict[str, str]) -> str:
    version = f'<span class="counter">{words["version"].format(memory.version)}</span>'
    lines = [
        f'<table class="grid strip"><caption>{html.escape(caption)}</caption><tbody>',
        _row(memory.name, [grid.cell(number, 0.0) for number in memory.numbers], version, ""),
    ]
    for row in memory.rows:
        cells, note = [_window(row, place) for place in range(len(memory.numbers))], ""
        if row.saved and row.version:
            note = words["then"].format(row.version)
            if row.version != memory.version:
                note += f" <b>≠</b> {words['now'].format(memory.version)}"
        lines.append(_row(row.name, cells, note, "saved" if row.saved else "window"))
    return "\n".join([*lines, "</tbody></table>"])


def _row(name: str, cells: list[str], note: str, kind: str) -> str:
    named = f' class="{kind}"' if kind else ""
    return (
        f'<tr{named}><th scope="row"><code>{html.escape(name)}</code></th>{"".join(cells)}'
        f'<td class="note">{note}</td></tr>'
    )


def _window(row: Row, place: int) -> str:
    indices = row.places.get(place)
    if not indices:
        return "<td></td>"
    ends = ("" if place - 1 in row.places else " first") + (
        "" if place + 1 in row.places else " last"
    )
    return f'<td class="in{ends}">{"<br>".join(indices)}</td>'
