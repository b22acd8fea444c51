"""A page: prose that names snippets. Reads the names, and puts code and recorded output in their place.

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

from proof.problem import Problem, Unproved

EXPECTED_OUTPUT = "<!--pytest-codeblocks:expected-output-->"
"""The marker by which pytest-codeblocks knows that the next fence is what the last one prints."""

_BLOCK = re.compile(r"^(?P<indent> *):::(?P<path>.*)$")
_OPTION = re.compile(r"^ +(?P<key>[a-z_]+):(?P<value>.*)$")
_FENCE = re.compile(r"^(?P<indent> *)(?P<ticks>`{3,}|~{3,})(?P<info>.*)$")
_HEADING = re.compile(r"^(?P<level>#{1,6}) +(?P<text>.*?)(?: *\{(?P<attrs>[^}]*)\})? *$")
_PYTHON = re.compile(r"^[{ .]*(?:python|py|py3|python3)\b")


@dataclass(frozen=True)
class Reference:
    """A place in a page that names a snippet. `line` and `end` are the first and last line, from 1."""

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
    """A page as it stands in its file."""

    file: str
    text: str
    references: tuple[Reference, ...]
    headings: tuple[Heading, ...]
    typed_python: tuple[int, ...]
    markers: tuple[int, ...]


def parse(file: str, text: str) -> Page:
    """Read a page. What stands inside a code fence is never taken for a reference or a heading."""
    lines = text.splitlines()
    references, headings, typed, markers = [], [], [], []
    closing: str | None = None
    number = _front_matter(lines)
    while number < len(lines):
        line = lines[number]
        number += 1
        if closing is not None:
            if line.strip().startswith(closing) and not line.strip().strip(closing[0]):
                closing = None
        elif fence := _FENCE.match(line):
            closing = fence["ticks"]
            if _PYTHON.match(fence["info"].strip()):
                typed.append(number)
        elif block := _BLOCK.match(line):
            options, end = _options(lines, number, block["indent"])
            references.append(
                Reference(block["path"].strip(), number, end, block["indent"], options)
            )
            number = end
        elif heading := _HEADING.match(line):
            anchor = re.search(r"#([\w-]+)", heading["attrs"] or "")
            headings.append(Heading(len(heading["level"]), anchor and anchor[1], number))
        elif "pytest-codeblocks:" in line or "<!--pytest.mark" in line:
            markers.append(number)
    return Page(file, text, *map(tuple, (references, headings, typed, markers)))


def _front_matter(lines: list[str]) -> int:
    if lines and lines[0] == "---" and "---" in lines[1:]:
        return lines.index("---", 1) + 1
    return 0


def _options(lines: list[str], at: int, indent: str) -> tuple[tuple, int]:
    options = []
    while at < len(lines) and lines[at].startswith(indent + "    "):
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
    lines = page.text.splitlines()
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
    return "\n".join(told + lines[at:]) + "\n"


def _fences(reference: Reference, root: Path) -> Iterator[str]:
    code = _read(root / reference.path).rstrip("\n").split("\n")
    output = _read((root / reference.path).with_suffix(".out")).rstrip("\n").split("\n")
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
        topic_and_name = reference.path.removeprefix("snippets/").removesuffix(".py")
        yield problem(
            "the page names a snippet that does not exist",
            f"a file {reference.path}",
            _nearest(script, root),
            f"correct the path on this line, or start the snippet: python -m proof new {topic_and_name}",
        )
        return
    try:
        code = _read(script).splitlines()
        output = script.with_suffix(".out")
        recorded = _read(output) if output.is_file() else None
    except UnicodeDecodeError:
        return  # told once for the file itself, by the book
    if recorded is None:
        yield problem(
            "the snippet has no recorded output",
            f"a file {output.relative_to(root).as_posix()}",
            "none",
            f"python -m proof update {reference.path}",
        )
    for key, value, line in reference.options:
        if key != "highlight":
            yield problem(
                "unknown option",
                "highlight: <text that stands in one line of the code>",
                f"{key}: {value}",
                "correct or remove this line",
                line,
            )
        elif len(where := _lines_with(code, value)) != 1 or not value:
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


def _read(file: Path) -> str:
    return file.read_text(encoding="utf-8")
