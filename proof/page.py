"""A page: prose that names snippets. Reads the names; puts code and recorded output in their place.

A page names a snippet with a block that looks like mkdocstrings::

    ::: snippets/accumulate/two_losses.py
        highlight: loss3.backward()
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from proof.problem import Problem, Unproved, not_utf8

EXPECTED_OUTPUT = "<!--pytest-codeblocks:expected-output-->"
"""The marker by which pytest-codeblocks knows that the next fence is what the last one prints."""

_BLOCK = re.compile(r"^(?P<indent> *):::(?P<path>.*)$")
_OPTION = re.compile(r"^\s+(?P<key>[a-z_]+):(?P<value>.*)$")
# "```" with another backtick in its line is code within prose, and opens nothing.
_FENCE = re.compile(r"^(?P<indent> *)(?P<ticks>`{3,}(?=[^`]*$)|~{3,})(?P<info>.*)$")
# Python-Markdown takes "#title" for a heading too, without a blank.
_HEADING = re.compile(r"^(?P<level>#{1,6}) *(?P<text>.*?)(?: *\{(?P<attrs>[^}]*)\})? *$")
_ANCHOR = re.compile(r"#([A-Za-z][A-Za-z0-9_-]*)(?=\s|$)")
_PYTHON = re.compile(r"^(?:\{[^}]*\.|\{? *)(?:i?python[23]?|py[23]?|pycon)\b", re.IGNORECASE)
# What was meant as a reference and would stand in the page as text.
_STRAY = re.compile(r"^\s*(?:[-*+>]|\d+\.)?\s*:{2,}\s*snippets/")
_UNINDENTED = re.compile(r"^\s*(?:highlight|figure):")
_MARKER = re.compile(r"<!--[-\s]*pytest(?:-codeblocks:|\.mark)")


@dataclass(frozen=True)
class Reference:
    """A place in a page that names a snippet. `line` and `end`: its first and last line, from 1."""

    path: str
    line: int
    end: int
    indent: str
    options: tuple[tuple[str, str, int], ...]

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


def parse(file: str, text: str) -> Page:
    """Read a page. What stands inside a code fence is never taken for a reference or a heading."""
    text = one_line_end(text)
    lines = text.split("\n")
    references, headings, typed, markers, strays = [], [], [], [], []
    closing: str | None = None
    opened = 0
    number = _front_matter(lines)
    while number < len(lines):
        line = lines[number]
        number += 1
        if closing is not None:
            if line.strip().startswith(closing) and not line.strip().strip(closing[0]):
                closing = None
        elif fence := _FENCE.match(line):
            closing, opened = fence["ticks"], number
            if _PYTHON.match(fence["info"].strip()):
                typed.append(number)
        elif block := _BLOCK.match(line):
            options, end = _options(lines, number, block["indent"])
            references.append(
                Reference(block["path"].strip(), number, end, block["indent"], options)
            )
            number = end
            if end < len(lines) and _UNINDENTED.match(lines[end]):
                strays.append(end + 1)
        elif _STRAY.match(line):
            strays.append(number)
        elif heading := _HEADING.match(line):
            anchor = _ANCHOR.search(heading["attrs"] or "")
            headings.append(Heading(len(heading["level"]), anchor and anchor[1], number))
        elif _MARKER.search(line):
            markers.append(number)
    if closing is not None:
        strays.append(opened)
    return Page(file, text, *map(tuple, (references, headings, typed, markers, strays)))


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


def expand(page: Page, root: Path) -> str:
    """The page as plain Markdown: each reference becomes a code fence and its recorded output.

    `root` is the folder that holds `snippets/`. Raises `Unproved` with every reference that cannot
    be followed: no such snippet, no recorded output, a highlight that stands nowhere or twice.
    """
    problems: list[Problem] = []
    lines = page.text.split("\n")
    told: list[str] = []
    at = 0
    for reference in page.references:
        told += lines[at : reference.line - 1]
        at = reference.end
        found = list(_problems(page, reference, root))
        problems += found
        if not found:
            told += _fences(reference, root)
    if problems:
        raise Unproved(problems)
    return "\n".join(told + lines[at:])


def _fences(reference: Reference, root: Path) -> Iterator[str]:
    code = read(root / reference.path).rstrip("\n").split("\n")
    output = read((root / reference.path).with_suffix(".out")).rstrip("\n").split("\n")
    ticks = "`" * max(3, 1 + _longest_ticks(code), 1 + _longest_ticks(output))
    marked = [str(_lines_with(code, text)[0]) for text, _ in reference.highlights]
    marks = f' hl_lines="{" ".join(marked)}"' if marked else ""
    block = [f'{ticks}python title="{reference.path}"{marks}', *code, ticks, ""]
    block += [EXPECTED_OUTPUT, "", f"{ticks}{{ .text .output }}", *output, ticks]
    yield from (reference.indent + line if line else "" for line in block)


def _problems(page: Page, reference: Reference, root: Path) -> Iterator[Problem]:
    def problem(what: str, expected: str, found: str, mend: str, line: int = reference.line):
        return Problem(page.file, line, what, expected, found, mend, (page.file,))

    script = root / reference.path
    if not re.fullmatch(r"snippets/(?:[a-z0-9_]+/)*[a-z0-9_]+\.py", reference.path):
        yield problem(
            "this does not name a snippet",
            "::: snippets/<topic>/<name>.py, in lower case",
            f"::: {reference.path}",
            "write the path of a script below snippets/ on this line",
        )
        return
    if not script.is_file():
        name = reference.path.removeprefix("snippets/").removesuffix(".py")
        yield problem(
            "the page names a snippet that does not exist",
            f"a file {reference.path}",
            _nearest(script, root),
            f"correct the path on this line, or start the snippet: python -m proof new {name}",
        )
        return
    output = script.with_suffix(".out")
    if not output.is_file():
        yield problem(
            "the snippet has no recorded output",
            f"a file {output.relative_to(root).as_posix()}",
            "none",
            f"python -m proof update {reference.path}",
        )
    texts: dict[Path, str] = {}
    for file in (script, output):
        try:
            texts[file] = read(file) if file.is_file() else ""
        except UnicodeDecodeError as error:
            yield not_utf8(file.relative_to(root).as_posix(), error, (page.file,))
    if texts.get(script, "").startswith("\n"):
        yield problem(
            "the snippet begins with an empty line, which a page does not show",
            "code in the first line",
            "an empty line",
            f"remove the empty lines at the top of {reference.path}",
        )
    for key, value, line in reference.options:
        if key != "highlight":
            yield problem(
                "unknown option",
                "highlight: <text that stands in one line of the code>",
                f"{key}: {value}" if value else key,
                "correct or remove this line",
                line,
            )
        elif script in texts:
            where = _lines_with(texts[script].split("\n"), value) if value else []
            if len(where) != 1:
                yield problem(
                    "the text to highlight does not name one line",
                    f"a text that stands in exactly one line of {reference.path}",
                    f"{value!r} stands in "
                    + (f"lines {', '.join(map(str, where))}" if where else "no line"),
                    "copy more of the line you mean" if where else "copy the text from the script",
                    line,
                )


def _lines_with(code: list[str], text: str) -> list[int]:
    return [number for number, line in enumerate(code, 1) if text in line]


def _longest_ticks(lines: list[str]) -> int:
    return max((len(run) for line in lines for run in re.findall("`+", line)), default=2)


def _nearest(script: Path, root: Path) -> str:
    names = [p.relative_to(root).as_posix() for p in sorted((root / "snippets").rglob("*.py"))]
    near = difflib.get_close_matches(script.relative_to(root).as_posix(), names, n=1)
    return f"no such file; the nearest is {near[0]}" if near else "no such file"
