"""The directive of a script: its code, what it prints, and the figure that a page asks for.

::: snippets/accumulate/two_losses.py
    highlight: loss3.backward()
    figure: trace
    then: 1.12.1
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator

from proofbook.directives import grid, plot, trace_figure
from proofbook.directives.directive import Directive
from proofbook.model.book import Book
from proofbook.model.older_outputs import VERSION, older_file, output_in, why_stale
from proofbook.model.page import Page, Reference
from proofbook.model.problem import Problem, Unproved, not_utf8
from proofbook.model.snippet import output_file

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


def _expand(reference: Reference, page: Page, book: Book) -> list[str]:
    if problems := list(_problems(reference, page, book)):
        raise Unproved(problems)
    code = book.text(reference.path).rstrip("\n").split("\n")
    output = book.text(output_file(reference.path)).rstrip("\n").split("\n")
    ticks = "`" * max(3, 1 + _longest_ticks(code), 1 + _longest_ticks(output))
    numbers = [str(_lines_with(code, text)[0]) for text, _ in reference.highlights]
    highlighted = f' hl_lines="{" ".join(numbers)}"' if numbers else ""
    lines = [f'{ticks}python title="{reference.path}"{highlighted}', *code, ticks, ""]
    lines += [EXPECTED_OUTPUT, "", f"{ticks}{{ .text .output }}", *output, ticks]
    for version in reference.then:
        older = output_in(book.text(older_file(reference.path, version))).rstrip("\n").split("\n")
        lines += ["", f'{ticks}{{ .text .output .then title="PyTorch {version}" }}', *older, ticks]
    if captions := grid.captions(reference):
        lines += ["", *grid.draw("\n".join(output), captions)]
    if reference.option("figure") == "trace":
        lines += ["", trace_figure.draw(page, reference, book)]
    if reference.option("figure") == "plot":
        lines += ["", plot.placeholder(reference)]
    return [reference.indent + line if line else "" for line in lines]


def _recording(reference: Reference) -> str | None:
    return reference.path if reference.option("figure") == "trace" else None


SNIPPET = Directive(
    re.compile(r"snippets/(?:[a-z0-9_]+/)*[a-z0-9_]+\.py"),
    _expand,
    OPTIONS,
    repeatable=frozenset({"highlight", "then"}),
    recording=_recording,
)


def _problems(reference: Reference, page: Page, book: Book) -> Iterator[Problem]:
    """Why the snippet cannot be shown, or not as the page asks for it."""

    def problem(what: str, expected: str, found: str, mend: str, line: int = reference.line):
        return page.problem(line, what, expected, found, mend)

    script = reference.path
    if not SNIPPET.matches(reference.path):
        yield problem(
            "this does not name a snippet",
            "::: snippets/<topic>/<name>.py, of small letters, digits and _",
            f"::: {reference.path}",
            "write the path of a script below snippets/ on this line",
        )
        return
    if not book.has(script):
        name = reference.path.removeprefix("snippets/").removesuffix(".py")
        yield problem(
            "the page names a snippet that does not exist",
            f"a file {reference.path}",
            _nearest(script, book),
            f"correct the path on this line, or start the snippet: proofbook new {name}",
        )
        return
    output = output_file(script)
    if not book.has(output):
        yield problem(
            "the snippet has no recorded output",
            f"a file {output}",
            "none",
            f"proofbook update {reference.path}",
        )
    texts: dict[str, str] = {}
    for file in (script, output):
        try:
            texts[file] = book.text(file) if book.has(file) else ""
        except UnicodeDecodeError as error:
            yield not_utf8(file, error, (page.file,))
    if texts.get(script, "").startswith("\n"):
        yield problem(
            "the snippet begins with an empty line, which a page does not show",
            "code in the first line",
            "an empty line",
            f"remove the empty lines at the top of {reference.path}",
        )
    if script in texts:
        yield from _wrong_highlights(reference, page, texts[script])
        for key, version, line in reference.options:
            if key == "then":
                yield from _older_problems(reference, page, book, texts[script], version, line)
    yield from plot.wrong_options(page, reference)
    yield from trace_figure.problems(page, reference, book)
    if output in texts:
        yield from grid.problems(page, reference, texts[output])


def _wrong_highlights(reference: Reference, page: Page, code: str) -> Iterator[Problem]:
    for text, line in reference.highlights:
        lines = _lines_with(code.split("\n"), text) if text else []
        if len(lines) != 1:
            places = f"lines {', '.join(map(str, lines))}" if lines else "no line"
            yield page.problem(
                line,
                "the text to highlight does not name one line",
                f"a text that stands in exactly one line of {reference.path}",
                f"{text!r} stands in {places}",
                "copy more of the line you mean" if lines else "copy the text from the script",
            )


def _older_problems(
    reference: Reference, page: Page, book: Book, code: str, version: str, line: int
) -> Iterator[Problem]:
    """What an older version printed is there, and was printed by the script as it is now."""
    if not VERSION.fullmatch(version):
        what = "this is no version of PyTorch"
        yield page.problem(line, what, OPTIONS["then"], version, "correct this line")
        return
    file = older_file(reference.path, version)
    try:
        why = why_stale(code, version, book.text(file)) if book.has(file) else "no such file"
    except UnicodeDecodeError as error:
        yield not_utf8(file, error, (page.file,))
        return
    if reference.then.count(version) > 1:
        why = "the page asks for it twice"
    if why:
        yield page.problem(
            line,
            f"what PyTorch {version} printed is not known",
            f"{file}, recorded from {reference.path} as it is",
            why,
            f"record it: python benchmarks/then.py {version} <python with it> {reference.path}",
        )


def _lines_with(code: list[str], text: str) -> list[int]:
    return [number for number, line in enumerate(code, 1) if text in line]


def _longest_ticks(lines: list[str]) -> int:
    return max((len(run) for line in lines for run in re.findall("`+", line)), default=2)


def _nearest(script: str, book: Book) -> str:
    near = difflib.get_close_matches(script, book.scripts, n=1)
    return f"no such file; the nearest is {near[0]}" if near else "no such file"
