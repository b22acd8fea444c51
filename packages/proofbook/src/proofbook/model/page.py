"""A page: prose that names snippets. Reads what stands in its file.

A page names a snippet with a block that looks like mkdocstrings::

    ::: snippets/accumulate/two_losses.py
        highlight: loss3.backward()
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

_BLOCK = re.compile(r"^(?P<indent> *):::(?P<path>.*)$")
_OPTION = re.compile(r"^\s+(?P<key>[a-z_]+):(?P<value>.*)$")
# "```" with another backtick in its line is code within prose, and opens nothing.
_FENCE = re.compile(r"^(?P<indent> *)(?P<ticks>`{3,}(?=[^`]*$)|~{3,})(?P<info>.*)$")
# Python-Markdown takes "#title" for a heading too, without a blank.
_HEADING = re.compile(r"^(?P<level>#{1,6}) *(?P<text>.*?)(?: *\{(?P<attrs>[^}]*)\})? *$")
_ANCHOR = re.compile(r"#([A-Za-z][A-Za-z0-9_-]*)(?=\s|$)")
_PYTHON = re.compile(r"^(?:\{[^}]*\.|\{? *)(?:i?python[23]?|py[23]?|pycon)\b", re.IGNORECASE)
# What was meant as a reference and would stand in the page as text.
_STRAY = re.compile(r"[:：]{2,}\s*(?:snippets|docs)/")
_UNINDENTED = re.compile(r"^\s*(?:highlight|figure|captions|alt|words|passes|then|part|of):")
_MARKER = re.compile(r"<!--[-\s]*pytest(?:-codeblocks:|\.mark)")


@dataclass(frozen=True)
class Reference:
    """A place in a page that names a snippet. `line` and `end`: its first and last line, from 1."""

    path: str
    line: int
    end: int
    indent: str
    options: tuple[tuple[str, str, int], ...]

    def option(self, key: str) -> str | None:
        """The value of an option, or None where it isn't given."""
        return next((value for name, value, _ in self.options if name == key), None)

    @property
    def then(self) -> list[str]:
        """The older versions of PyTorch whose output is shown too."""
        return [value for key, value, _ in self.options if key == "then"]

    @property
    def highlights(self) -> list[tuple[str, int]]:
        """The texts to highlight, each with the line of the page that asks for it."""
        return [(value, line) for key, value, line in self.options if key == "highlight"]


@dataclass(frozen=True)
class Heading:
    """A heading with its level (1 to 6) and its explicit anchor, or None where it has none."""

    level: int
    anchor: str | None
    line: int


@dataclass(frozen=True)
class Page:
    """A page as it stands in its file, its lines ended by `\\n` alone."""

    file: str
    text: str
    references: tuple[Reference, ...]
    headings: tuple[Heading, ...]
    typed_python: tuple[int, ...]
    markers: tuple[int, ...]
    strays: tuple[int, ...]
    blocks: tuple[tuple[int, int], ...]
    """First and last lines of what is no prose: front matter, code fences, references."""

    @property
    def title(self) -> str:
        """The first heading, as Markdown; the page's file where it has none."""
        first = next((heading for heading in self.headings if heading.level == 1), None)
        return self.line(first.line).lstrip("# ").partition(" {")[0] if first else self.file

    def line(self, number: int) -> str:
        """A line of the page, from 1."""
        return self.text.split("\n")[number - 1]


def read(file: Path) -> str:
    """The text of a file, its lines ended by `\\n` alone; raises `UnicodeDecodeError`."""
    raw = file.read_bytes()
    if raw.startswith(b"\xef\xbb\xbf"):  # who copies the code from the page would copy it too
        raise UnicodeDecodeError("utf-8", raw, 0, 3, "a byte order mark")
    return one_line_end(raw.decode("utf-8"))


def one_line_end(text: str) -> str:
    """The text with each line ended by `\\n` alone, whatever system wrote it."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


@lru_cache(maxsize=512)
def parse(file: str, text: str, whole: bool = True) -> Page:
    """Read a page. What stands inside a code fence is never taken for a reference or a heading.

    `whole`: the text is that of the file; otherwise its front matter has been taken off.
    """
    text = one_line_end(text)
    lines = text.split("\n")
    references, headings, typed, markers, strays, blocks = [], [], [], [], [], []
    closing: str | None = None
    opened, commented = 0, False
    number = _front_matter(lines) if whole else 0
    if number:
        blocks.append((1, number))
    while number < len(lines):
        line = lines[number]
        number += 1
        if closing is None:
            commented = line.rfind("<!--") > line.rfind("-->") or (commented and "-->" not in line)
        if closing is not None:
            if line.strip().startswith(closing) and not line.strip().strip(closing[0]):
                closing = None
                blocks.append((opened, number))
        elif fence := _FENCE.match(line):
            closing, opened = fence["ticks"], number
            if _PYTHON.match(fence["info"].strip()):
                typed.append(number)
        elif block := _BLOCK.match(line):
            options, end = _options(lines, number, block["indent"])
            references.append(
                Reference(block["path"].strip(), number, end, block["indent"], options)
            )
            words = {at for key, _, at in options if key in ("captions", "alt")}
            blocks += [(n, n) for n in range(number, end + 1) if n not in words]
            number = end
            after = next((n for n in range(end, len(lines)) if lines[n].strip()), end)
            if after < len(lines) and _UNINDENTED.match(lines[after]):
                strays.append(after + 1)
            if commented:
                strays.append(references[-1].line)
        elif _STRAY.search(re.sub(r"`[^`]*`", "", line)):
            strays.append(number)
        elif heading := _HEADING.match(line):
            anchor = _ANCHOR.search(heading["attrs"] or "")
            headings.append(Heading(len(heading["level"]), anchor and anchor[1], number))
        elif _MARKER.search(line):
            markers.append(number)
    if closing is not None:
        strays.append(opened)
    return Page(file, text, *map(tuple, (references, headings, typed, markers, strays, blocks)))


def _front_matter(lines: list[str]) -> int:
    if lines and lines[0] == "---" and "---" in lines[1:]:
        return lines.index("---", 1) + 1
    return 0


def _options(lines: list[str], at: int, indent: str) -> tuple[tuple, int]:
    options = []
    while at < len(lines) and re.match(rf"{indent}\s+\S", lines[at]):
        option = _OPTION.match(lines[at])
        key, value = (option["key"], option["value"].strip()) if option else (lines[at].strip(), "")
        at += 1
        options.append((key, value, at))
    return tuple(options), at
