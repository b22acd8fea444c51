"""The directive of a script: its code, its output, and the figure that a page requests.

::: snippets/accumulate/two_losses.py
    highlight: loss3.backward()
    note: loss3.backward() | adds to .grad
    figure: trace
    then: 1.12.1
"""

from __future__ import annotations

import difflib
import io
import re
import tokenize
from collections.abc import Iterator

from proofbook.content.torch_versions import OtherOutput, folded_outputs
from proofbook.directives import (
    Directive,
    curve,
    exercise,
    grid,
    plot,
    strip,
    timeline,
    trace_figure,
    varied_figure,
)
from proofbook.markdown.spans import SNIPPET_OPTIONS as OPTIONS
from proofbook.markdown.spans import Reference
from proofbook.model.book import Book
from proofbook.model.page import Page
from proofbook.model.problem import Problem, Unproved, not_utf8
from proofbook.model.snippet import output_file
from proofbook.model.torch_records import (
    COMMAND,
    VERSION,
    known_records,
    output_with,
    record_file,
)

_FIGURES = {
    "captions": ("grid", "strip"),
    "links": ("grid",),
    "lit": ("grid",),
    "alt": ("plot", "curve", "trace"),
    "caption": ("plot", "curve", "trace", "grid", "strip", "timeline"),
    "words": ("plot", "curve", "trace", "timeline"),
    "curve": ("curve", "trace"),
    **dict.fromkeys(("lanes", "back", "across", "leads"), ("timeline",)),
    "passes": ("trace",),
    "names": ("trace",),
    "vary": ("trace", "plot", "curve"),
}
"""The figures to which options belong."""

TABLES = {"grid": grid, "strip": strip, "timeline": timeline}
"""The figures that are tables of what was printed."""

EXPECTED_OUTPUT = "<!--pytest-codeblocks:expected-output-->"
"""The marker by which pytest-codeblocks knows that the next fence is the output of the last one."""


def _expand(reference: Reference, page: Page, book: Book) -> list[str]:
    if problems := list(_problems(reference, page, book)):
        raise Unproved(problems)
    code = code_with_notes(reference, book).rstrip("\n").split("\n")
    output = book.text(output_file(reference.path)).rstrip("\n").split("\n")
    asked = [_printed(reference.path, version, book) for version in reference.then]
    others = folded_outputs(book, reference)
    texts = [code, output, *(other.output.split("\n") for other in (*asked, *others))]
    ticks = "`" * max(3, *(1 + _longest_ticks(lines) for lines in texts))
    numbers = [str(_lines_with(code, text)[0]) for text, _ in reference.highlights]
    highlighted = f' hl_lines="{" ".join(numbers)}"' if numbers else ""
    lines = exercise.placeholder(reference)
    lines += [f'{ticks}python title="{reference.path}"{highlighted}', *code, ticks, ""]
    lines += [EXPECTED_OUTPUT, "", f"{ticks}{{ .text .output }}", *output, ticks]
    own = "\n".join(output)
    for other in (*asked, *others):
        lines += ["", *other.folded(own, page.language, ticks)]
    if tables := TABLES.get(reference.option("figure") or ""):
        lines += ["", *tables.draw(reference, own, page.language)]
    if reference.option("figure") == "trace":
        figure = trace_figure.draw(page, reference, book)
        if reference.option("curve"):
            drawn = curve.draw(reference, book)
            figure = figure.replace("<trace-player", f"{drawn}<trace-player", 1)
        lines += ["", figure]
    if reference.option("figure") == "curve":
        lines += ["", curve.figure(page, reference, book)]
    if reference.option("figure") == "plot":
        controls = plot.controls(page, reference, book)
        lines += ["", plot.placeholder(reference, controls)]
    return [reference.indent + line if line else "" for line in lines]


def code_with_notes(reference: Reference, book: Book) -> str:
    """The script as a page shows it, with each of the page's notes as a comment after its line."""
    lines = book.text(reference.path).split("\n")
    noted = [(_lines_with(lines, text)[0], note) for text, note, _ in reference.worded("note")]
    for number, note in noted:
        lines[number - 1] += f"  # {note}"
    return "\n".join(lines)


def _printed(script: str, version: str, book: Book) -> OtherOutput:
    """The output of a script in a version; nothing if it is not known."""
    return OtherOutput((version,), output_with(book, script, version) or "")


SNIPPET = Directive(
    re.compile(r"snippets/(?:[a-z0-9_]+/)*[a-z0-9_]+\.py"),
    _expand,
    OPTIONS,
)


def _problems(reference: Reference, page: Page, book: Book) -> Iterator[Problem]:
    """The reasons why the snippet cannot be shown, or not as the page requests."""

    def problem(what: str, expected: str, found: str, fix: str, line: int = reference.line):
        return page.problem(line, what, expected, found, fix)

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
    if script in texts:
        yield from _wrong_highlights(reference, page, texts[script])
        yield from _wrong_notes(reference, page, texts[script])
        yield from exercise.problems(page, reference, texts[script])
        for key, version, line in reference.options:
            if key == "then":
                yield from _version_problems(reference, page, book, version, line)
    figure = reference.option("figure")
    for option, figures in _FIGURES.items():
        if reference.option(option) is not None and figure not in figures:
            what = f"{option}: belongs to a {' or a '.join(figures)}"
            expected = " or ".join(f"figure: {kind}" for kind in figures)
            fix = "correct the options below this line"
            yield problem(what, expected, f"figure: {figure}" if figure else "none", fix)
    if figure == "plot":
        yield from plot.wrong_options(page, reference)
        yield from varied_figure.problems(page, reference, book, "")
    if figure == "trace":
        yield from trace_figure.problems(page, reference, book)
    if figure == "curve" or reference.option("curve"):
        yield from curve.problems(page, reference, book)
    if figure in TABLES and output in texts:
        yield from TABLES[figure].problems(page, reference, texts[output])
    if figure not in (None, *TABLES, "curve", "trace", "plot"):
        expected, fix = OPTIONS["figure"].form, "correct the options below this line"
        yield problem("there is no such figure", expected, f"figure: {figure}", fix)


def _wrong_highlights(reference: Reference, page: Page, code: str) -> Iterator[Problem]:
    for text, line in reference.highlights:
        yield from _not_one_line("the text to highlight", text, line, reference, page, code)


def _wrong_notes(reference: Reference, page: Page, code: str) -> Iterator[Problem]:
    named: set[int] = set()
    for text, note, line in reference.worded("note"):
        if not note or "`" in note:
            found = f"note: {text} | {note}" if note else f"note: {text}"
            expected = f"{OPTIONS['note'].form}, in plain words: it becomes a comment of the code"
            what, fix = "this is not a note for a line of the code", "correct this line"
            yield page.problem(line, what, expected, found, fix)
            continue
        wrong = list(_not_one_line("the text of the note", text, line, reference, page, code))
        yield from wrong
        if wrong:
            continue
        number = _lines_with(code.split("\n"), text)[0]
        shown = code.split("\n")[number - 1]
        why = None
        if number in named:
            why = "another note above is for that line"
        elif not _can_end_in_comment(code, number):
            why = f"line {number} continues on the next one: {shown.strip()}"
        named.add(number)
        if why:
            what, expected = "the note cannot stand here", "a line of its own, which has no comment"
            yield page.problem(line, what, expected, why, "name another line")


def _can_end_in_comment(code: str, number: int) -> bool:
    """Whether a comment can be appended to a line: the line isn't inside a string, does not end
    with a backslash and has no comment yet."""
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(code).readline))
    except (tokenize.TokenError, SyntaxError):  # the run reports the error
        return True
    inside = any(token.start[0] <= number < token.end[0] for token in tokens)
    comment = any(t.type == tokenize.COMMENT and t.start[0] == number for t in tokens)
    return not (inside or comment or code.split("\n")[number - 1].endswith("\\"))


def _not_one_line(
    what: str, text: str, line: int, reference: Reference, page: Page, code: str
) -> Iterator[Problem]:
    lines = _lines_with(code.split("\n"), text) if text else []
    if len(lines) != 1:
        places = f"lines {', '.join(map(str, lines))}" if lines else "no line"
        yield page.problem(
            line,
            f"{what} does not name one line",
            f"a text that stands in exactly one line of {reference.path}",
            f"{text!r} stands in {places}",
            "copy more of the line you mean" if lines else "copy the text from the script",
        )


def _version_problems(
    reference: Reference, page: Page, book: Book, version: str, line: int
) -> Iterator[Problem]:
    """Checks that another version's output is known, and isn't what the page shows anyway."""
    if not VERSION.fullmatch(version):
        what = "this is not a version of PyTorch"
        yield page.problem(line, what, OPTIONS["then"].form, version, "correct this line")
        return
    script = reference.path
    printed = output_with(book, script, version)
    expected = f"a record of {script} as it is, in {record_file(version)}"
    fix = f"record it, with a PYTHON that has PyTorch {version}: {COMMAND} {script}"
    if reference.then.count(version) > 1:
        why, fix = "the page asks for it twice", "remove one"
    elif printed is None:
        known = any(record.version == version for record in book.remember(known_records))
        why = "not run, changed since, or edited by hand" if known else "no such record"
    elif printed == book.text_or_empty(output_file(script)):
        expected, why = "another output than today's", "that version prints the same"
        fix = "remove this line"
    else:
        return
    what = f"what PyTorch {version} printed cannot be shown"
    yield page.problem(line, what, expected, why, fix)


def _lines_with(code: list[str], text: str) -> list[int]:
    return [number for number, line in enumerate(code, 1) if text in line]


def _longest_ticks(lines: list[str]) -> int:
    return max((len(run) for line in lines for run in re.findall("`+", line)), default=2)


def _nearest(script: str, book: Book) -> str:
    near = difflib.get_close_matches(script, book.scripts, n=1)
    return f"no such file; the nearest is {near[0]}" if near else "no such file"
