"""The snippets that a page shows: their code and their outputs."""

from __future__ import annotations

import contextlib
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from pathlib import Path

from proofbook.markdown.spans import Reference
from proofbook.model.book import Book
from proofbook.model.page import Page
from proofbook.model.problem import Problem
from proofbook.model.torch_records import output_with
from proofbook.model.varied_runs import parse_runs, varied_file

NUMBER = re.compile(
    r"(?<![\w.,#/-])(?P<sign>[-−])?(?P<digits>\d+(?:\.\d*)?(?:e[+-]?\d+)?)(?![\w]|\.\d)"
)
_GROUPED = re.compile(r"\b\d{1,3}(?:(?:_|\{,\})\d{3})+\b")
_POWER_OF_TEN = re.compile(r"(?:\b(\d+(?:\.\d+)?) *\\(?:times|cdot) *)?\b10\^\{?(-?\d+)\}?")
_DOUBLE = re.compile(r"\b(?:float64|double)\b")
_NODE_IN_RECORDING = re.compile(r'^"n\d+": \{"op": "(\w+)"', re.MULTILINE)
VARIED = "&"
"""The prefix of the part of a text that was printed with other numbers in the script."""
_SUBTRACTED = re.compile(r"- +(\d+(?:\.\d*)?(?:e[+-]?\d+)?)")
MATHS = "maths"
"""The part of a text that isn't from a run: formulas of the page."""
_ELLIPSIS = re.compile(r"\s*(?:\.\.\.|…+)\s*")


@dataclass(frozen=True)
class SnippetText:
    """One text of a run. `part`: "code", "out", the older PyTorch that printed it, or "&" and the
    numbers with which it was printed ("&w=-0.5&lr=0.1")."""

    text: str
    part: str = "out"

    @cached_property
    def lines(self) -> list[str]:
        return self.text.split("\n")

    @cached_property
    def numbers(self) -> list[tuple[float, int]]:
        """Each number with its line, from 1."""
        rows = enumerate(map(numbers_in, self.lines), 1)
        return [(number, line) for line, numbers in rows for number in numbers]

    @cached_property
    def words(self) -> str:
        return " ".join(self.text.split())

    @cached_property
    def values_varied(self) -> tuple[float, ...]:
        """The numbers with which this was printed, in the order of the page."""
        numbers = self.part.removeprefix(VARIED).split(VARIED) if self.part[:1] == VARIED else ()
        return tuple(float(number.partition("=")[2]) for number in numbers)

    def lines_with(self, wanted: Sequence[float], signed: bool) -> Iterator[int]:
        """The lines in which these numbers begin, one after another, with these signs or any.

        First the lines that contain all of them: a matrix continues in the next line. In code and
        maths `- 1` is -1.
        """
        if signed and self.part in ("code", MATHS) and len(wanted) == 1 and wanted[0] < 0:
            for number, line in enumerate(self.lines, 1):
                found = _SUBTRACTED.findall(line)
                if any(_same(-float(digits), wanted[0]) for digits in found):
                    yield number
        size, same = len(wanted), _same if signed else _same_size
        below = []
        for i in range(len(self.numbers) - size + 1):
            found = self.numbers[i : i + size]
            if all(same(one, other) for (one, _), other in zip(found, wanted, strict=True)):
                if found[0][1] == found[-1][1]:
                    yield found[0][1]
                else:
                    below.append(found[0][1])
        yield from below

    def lines_saying(self, words: str) -> Iterator[int]:
        """The line in which these words begin; they may continue below, and `...` omits some."""
        parts = _ELLIPSIS.split(words)
        if all(part in self.words for part in parts):
            before = self.words[: self.words.index(max(parts, key=len))].count(" ")
            ends = accumulate(len(line.split()) for line in self.lines)
            yield next(line for line, end in enumerate(ends, 1) if end > before)

    def lines_naming(self, name: str) -> Iterator[int]:
        """The lines that contain a name, not as a part of a longer one."""
        for number, line in enumerate(self.lines, 1):
            if name in line and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", line):
                yield number


@dataclass(frozen=True)
class ShownSnippet:
    """A run that a page shows.

    `script`: the snippet; `name`: its unique name on the page. `page` and `place`: the file of the
    page, and the position of the directive in its text. `nodes`: the names of the nodes in its
    recording, if there is one; `figure`: the anchor of its figure.
    """

    texts: tuple[SnippetText, ...]
    script: str = ""
    name: str = ""
    page: str = ""
    place: int = 0
    nodes: str = ""
    figure: str = ""

    @property
    def code(self) -> str:
        return self._of("code")

    @property
    def output(self) -> str:
        return self._of("out")

    @property
    def text(self) -> str:
        return "\n".join(text.text for text in self.texts)

    def _of(self, part: str) -> str:
        return next((text.text for text in self.texts if text.part == part), "")


def shown_snippets(page: Page, book: Book) -> tuple[ShownSnippet, ...]:
    """The runs that a page shows; a file that cannot be read is reported elsewhere."""
    found = []
    stems = {reference.path: Path(reference.path).stem for reference in page.references}
    starts = [0, *(end.end() for end in re.finditer("\n", page.text))]
    for reference in page.references:
        path, texts = reference.path, []
        name = stems[path]
        if list(stems.values()).count(name) > 1:
            name = path.removesuffix(".py").replace("/", "-")
        files = [("code", path), ("out", output_file(path))]
        for part, file in files:
            with contextlib.suppress(FileNotFoundError, UnicodeDecodeError):
                texts.append(SnippetText(book.text(file), part))
        for version in reference.then:
            if (output := output_with(book, path, version)) is not None:
                texts.append(SnippetText(output, version))
        texts += _with_other_numbers(path, book) if reference.option("vary") else []
        place, nodes = starts[reference.line - 1], book.remember(_nodes_recorded, path)
        figure = figure_anchor(reference)
        found.append(ShownSnippet(tuple(texts), path, name, page.file, place, nodes, figure))
    return tuple(found)


def figure_anchor(reference: Reference) -> str:
    """The anchor of a figure, from its kind, the name of its snippet and the passes it shows."""
    name = reference.path.removeprefix("snippets/").removesuffix(".py")
    shown, kind = reference.option("passes"), reference.option("figure")
    name = f"{'plot' if kind in ('curve', 'plot') else 'trace'}-{name}"
    return re.sub("[/_]", "-", name) + (f"-passes-{shown}" if shown else "")


def _with_other_numbers(script: str, book: Book) -> list[SnippetText]:
    """The outputs of a script with other numbers, below these numbers; none for a file that cannot
    be read, which is reported elsewhere."""
    try:
        varied, runs = parse_runs(book.text(varied_file(script)), "")
    except (OSError, ValueError):
        return []
    names = [text.partition("=")[0].strip() for text in varied]
    found = []
    for run in runs:
        numbers = [f"{name}={value}" for name, value in zip(names, run.values, strict=True)]
        part = VARIED + VARIED.join(numbers)
        found.append(SnippetText("\n".join([*numbers, run.printed]), part))
    return found


def _nodes_recorded(book: Book, script: str) -> str:
    recording = book.text_or_empty(f"{script.removesuffix('.py')}.trace")
    return " ".join(sorted(set(_NODE_IN_RECORDING.findall(recording))))


def snippets_on_page(book: Book, file: str) -> tuple[ShownSnippet, ...]:
    """The runs of a page by its file; none if it cannot be read, or does not exist."""
    return shown_snippets(book.page(file), book) if file in book.page_files else ()


def output_file(script: str) -> str:
    """The file that holds the recorded output of a script."""
    return f"{script.removesuffix('.py')}.out"


def dtype_of_results(code: str) -> str:
    """The dtype of a script's results: float32 unless it mentions float64."""
    return "float64" if _DOUBLE.search(code) else "float32"


def spaced(text: str) -> str:
    """The text with spaces around signs that are not part of a number."""
    # 10_000 and 1{,}000
    text = _GROUPED.sub(lambda n: re.sub(r"\D", "", n[0]).rjust(len(n[0])), text)
    text = _POWER_OF_TEN.sub(lambda n: f"{n[1] or 1}e{n[2]}".ljust(len(n[0])), text)
    return re.sub(r"[\[\](),*=^/\\{}_&|]|(?<![\d.]e)\+", " ", text)


def numbers_in(text: str) -> tuple[float, ...]:
    found = NUMBER.finditer(spaced(text))
    return tuple(float(n["digits"]) * (-1 if n["sign"] else 1) for n in found)


def _same(one: float, other: float) -> bool:
    return math.isclose(one, other, rel_tol=1e-6, abs_tol=1e-12)


def _same_size(one: float, other: float) -> bool:
    return _same(abs(one), abs(other))


ENDS = "(the output ends here)"


def changed_output(
    script: str, recorded: str, printed: str, pages: tuple[str, ...] = ()
) -> Problem | None:
    """The difference between a script's output and the recorded one, or None."""
    if (difference := first_different_line(recorded, printed)) is None:
        return None
    line, said, prints = difference
    return Problem(
        output_file(script),
        line,
        f"{script} prints something else than what is recorded",
        f"{said}    (recorded; the pages show this)",
        f"{prints}    (what it prints now)",
        f"if the new output is right: proofbook update {script}",
        pages,
    )


def first_different_line(said: str, printed: str) -> tuple[int, str, str] | None:
    """The first line in which two outputs differ, from 1, and its text in each."""
    if said == printed:
        return None
    one, two = said.split("\n"), printed.split("\n")
    line = next(i for i in range(len(one) + 1) if one[i : i + 1] != two[i : i + 1])

    def show(lines: list[str], others: list[str]) -> str:
        here, there = lines[line : line + 1], others[line : line + 1]
        if not here:
            return "(no line end after the last line)" if there == [""] else ENDS
        if line == len(lines) - 1 and not here[0]:
            return "(a line end after the last line)" if not there else ENDS
        alike = there and here[0].split() == there[0].split()
        return repr(here[0]) if alike else here[0]  # blanks cannot be seen

    return line + 1, show(one, two), show(two, one)
