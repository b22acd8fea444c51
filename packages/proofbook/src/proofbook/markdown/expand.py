"""Expands a page: puts code, recorded output and figures in the place of the names of snippets."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from pathlib import Path

from proofbook.content import glossary as terms
from proofbook.content import questions, report
from proofbook.directives import cover, grid
from proofbook.directives import plot as plots
from proofbook.directives import trace_figure as place
from proofbook.directives import wrong_digit as spoiled
from proofbook.model.older_outputs import VERSION, fault, older_file, printed
from proofbook.model.page import Page, Reference, read
from proofbook.model.problem import Problem, Unproved, not_utf8

EXPECTED_OUTPUT = "<!--pytest-codeblocks:expected-output-->"
"""The marker by which pytest-codeblocks knows that the next fence is what the last one prints."""

OPTIONS = {
    "highlight": "highlight: <text that stands in one line of the code>",
    "figure": "figure: grid, figure: trace, or figure: plot",
    "captions": "captions: <one for each matrix of the grid, with | between them>",
    "alt": "alt: <what the plot shows, in words>",
    "words": "words: <label of the plot>=<in the language of the page> | ...",
    "passes": "passes: <the backward passes that the trace shows, as 1 or 2-3>",
    "then": "then: <an older version of PyTorch, as 1.12.1>",
}


def expand(page: Page, root: Path) -> str:
    """The page as plain Markdown: each reference becomes a code fence and its recorded output.

    `root` is the folder that holds `snippets/`. Raises `Unproved` with every reference that cannot
    be followed: no such snippet, no recorded output, a highlight that stands nowhere or twice,
    a figure that the output doesn't give.
    """
    problems: list[Problem] = []
    lines = page.text.split("\n")
    told: list[str] = []
    at = 0
    for reference in page.references:
        told += lines[at : reference.line - 1]
        at = reference.end
        if reference.path in (terms.FILE, questions.FILE):
            told += _part(page, reference, root, problems)
            continue
        if reference.path == report.NAME:
            told += report.table(page.file, root)
            continue
        if reference.path == report.VERSIONS:
            told += report.versions(page.file, root)
            continue
        if reference.path == cover.NAME:
            found = list(cover.problems(page, reference, root))
            problems += found
            told += [] if found else [cover.drawn(page, reference, root)]
            continue
        if reference.path == spoiled.NAME:
            told += spoiled.fence(page, reference, root, problems)
            continue
        found = list(_problems(page, reference, root))
        problems += found
        if not found:
            told += _fences(page, reference, root)
    if problems:
        raise Unproved(problems)
    return "\n".join(told + lines[at:])


def _fences(page: Page, reference: Reference, root: Path) -> Iterator[str]:
    code = read(root / reference.path).rstrip("\n").split("\n")
    output = read((root / reference.path).with_suffix(".out")).rstrip("\n").split("\n")
    ticks = "`" * max(3, 1 + _longest_ticks(code), 1 + _longest_ticks(output))
    marked = [str(_lines_with(code, text)[0]) for text, _ in reference.highlights]
    marks = f' hl_lines="{" ".join(marked)}"' if marked else ""
    block = [f'{ticks}python title="{reference.path}"{marks}', *code, ticks, ""]
    block += [EXPECTED_OUTPUT, "", f"{ticks}{{ .text .output }}", *output, ticks]
    for version in reference.then:
        older = printed(older_file(root / reference.path, version)).rstrip("\n").split("\n")
        block += ["", f'{ticks}{{ .text .output .then title="PyTorch {version}" }}', *older, ticks]
    if captions := reference.option("captions"):
        block += ["", *grid.draw("\n".join(output), _captions(captions))]
    if reference.option("figure") == "trace":
        block += ["", place.drawn(page, reference, root)]
    if reference.option("figure") == "plot":
        block += ["", plots.place(reference)]
    yield from (reference.indent + line if line else "" for line in block)


def _captions(value: str) -> list[str]:
    return [caption.strip() for caption in value.split("|")]


def _part(page: Page, reference: Reference, root: Path, problems: list[Problem]) -> list[str]:
    """A part of the glossary or of the questions."""
    part = reference.option("part") or ""
    try:
        if reference.path == terms.FILE:
            told = terms.entries(page.file, part, terms.read_terms(root))
        else:
            told = questions.entries(page.file, part, questions.read_questions(root))
    except Unproved as unproved:
        problems += unproved.problems
        return []
    if not told:
        problems.append(
            Problem(
                page.file,
                reference.line,
                "this names no part of the file",
                f"part: <a part that stands in {reference.path}>",
                f"part: {reference.option('part')}",
                "correct the part below this line",
                (page.file,),
            )
        )
    return told


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
            f"correct the path on this line, or start the snippet: proofbook new {name}",
        )
        return
    output = script.with_suffix(".out")
    if not output.is_file():
        yield problem(
            "the snippet has no recorded output",
            f"a file {output.relative_to(root).as_posix()}",
            "none",
            f"proofbook update {reference.path}",
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
        if key not in OPTIONS:
            yield problem(
                "unknown option",
                " or ".join(OPTIONS.values()),
                f"{key}: {value}" if value else key,
                "correct or remove this line",
                line,
            )
        elif key == "highlight" and script in texts:
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
        elif key == "then" and script in texts:
            yield from _older_problems(page, reference, root, texts[script], value, line)
        if key not in ("highlight", "then") and [k for k, *_ in reference.options].count(key) > 1:
            yield problem("the option stands twice", "one", f"{key}: {value}", "remove one", line)
    yield from plots.wrong_options(page, reference)
    if reference.option("figure") == "trace" or reference.option("passes"):
        yield from place.problems(page, reference, root)
    elif output in texts:
        yield from _grid_problems(page, reference, texts[output])


def _older_problems(
    page: Page, reference: Reference, root: Path, script: str, version: str, line: int
) -> Iterator[Problem]:
    """What an older version printed is there, and was printed by the script as it is now."""
    if not VERSION.fullmatch(version):
        what, name = "this is no version of PyTorch", page.file
        yield Problem(name, line, what, OPTIONS["then"], version, "correct this line", (name,))
        return
    file = older_file(root / reference.path, version)
    try:
        why = fault(script, version, read(file)) if file.is_file() else "no such file"
    except UnicodeDecodeError as error:
        yield not_utf8(file.relative_to(root).as_posix(), error, (page.file,))
        return
    if reference.then.count(version) > 1:
        why = "the page asks for it twice"
    if why:
        yield Problem(
            page.file,
            line,
            f"what PyTorch {version} printed is not known",
            f"{file.relative_to(root).as_posix()}, recorded from {reference.path} as it is",
            why,
            f"record it: python benchmarks/then.py {version} <python with it> {reference.path}",
            (page.file,),
        )


def _grid_problems(page: Page, reference: Reference, output: str) -> Iterator[Problem]:
    """A grid says in words what each matrix of the output is."""
    figure, captions = reference.option("figure"), reference.option("captions")
    if captions is None and figure in (None, "plot"):
        return
    told = _captions(captions) if captions else []
    try:
        count = len(grid.matrices(output))
        there = f"{count} in the recorded output"
    except ValueError as error:
        count, there = -1, f"the recorded output holds {error}"
    if figure != "grid" or not count or count != len(told):
        yield Problem(
            page.file,
            reference.line,
            "the figure cannot be drawn",
            f"figure: grid, and {OPTIONS['captions']}: {there}",
            f"figure: {figure}, {len(told)} captions",
            "correct the options below this line",
            (page.file,),
        )


def _lines_with(code: list[str], text: str) -> list[int]:
    return [number for number, line in enumerate(code, 1) if text in line]


def _longest_ticks(lines: list[str]) -> int:
    return max((len(run) for line in lines for run in re.findall("`+", line)), default=2)


def _nearest(script: Path, root: Path) -> str:
    names = [p.relative_to(root).as_posix() for p in sorted((root / "snippets").rglob("*.py"))]
    near = difflib.get_close_matches(script.relative_to(root).as_posix(), names, n=1)
    return f"no such file; the nearest is {near[0]}" if near else "no such file"
