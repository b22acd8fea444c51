"""Numbers and messages in the words of a page: each must stand in a run that the page shows.

A run is a snippet's code and what it printed. Where a page, or a section of it, speaks of the run
of another page, it links there: the runs of the pages that a section links to count for it.
"""

from __future__ import annotations

import contextlib
import math
import posixpath
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from proof.formulas import equalities, maths_of
from proof.older import older_file, printed
from proof.page import Page, read
from proof.problem import Problem
from proof.prose import prose

NUMBER = re.compile(
    r"(?<![\w.,#/-])(?P<sign>[-−])?(?P<digits>\d+(?:\.\d*)?(?:e[+-]?\d+)?)(?![\w]|\.\d)"
)
_CODE = re.compile(
    r"(?<!`)(?P<ticks>`{1,2})(?!`)(?P<code>.+?)(?<!`)(?P=ticks)(?!`)(?P<attributes>\{[^{}\n]*\})?"
)
_VALUE = re.compile(r"(?:[a-z_.]+\()?[-−\d.e+,\[\]() ]+\)?")
_ATTRIBUTE = re.compile(r'data-(line|source)="([^"]*)"')
_LINK = re.compile(r"\]\((?P<target>[^()\s#]+\.md)(?:#[\w-]+)?\)")
_OUTSIDE = re.compile(r"\[[^\[\]]*\]\(https?:[^()\s]*(?:\([^()\s]*\))?[^()\s]*\)")
_MESSAGE = re.compile(
    r"(?!(?:python3?|pytest|pip|mkdocs|git) )[A-Za-z'][\w'.,:-]*(?: [\w'.,:()\[\]-]+){3,}"
)
_ELLIPSIS = re.compile(r"\s*(?:\.\.\.|…+)\s*")
# Versions of PyTorch and years say of themselves where they come from.
_VERSION = re.compile(r"(?:0\.[1-4]|1\.(?:1[0-3]|\d)|2\.(?:1[0-3]|\d))(?:\.[0-2])?")
_YEAR = re.compile(r"20[12]\d")


@dataclass(frozen=True)
class Run:
    """What a reader sees of a run: its code and its output (older outputs too), as one text."""

    text: str
    code: str = ""
    output: str = ""

    @cached_property
    def numbers(self) -> tuple[float, ...]:
        return _numbers(self.text)

    @cached_property
    def words(self) -> str:
        return " ".join(self.text.split())

    def holds(self, wanted: Sequence[float], signed: bool) -> bool:
        """Whether these numbers stand in the run one after another, with these signs or any."""
        size, same = len(wanted), _same if signed else _same_size
        return any(
            all(map(same, self.numbers[i : i + size], wanted))
            for i in range(len(self.numbers) - size + 1)
        )


def runs_of(page: Page, root: Path) -> tuple[Run, ...]:
    """The runs that a page shows; a file that cannot be read is told elsewhere."""
    found = []
    for reference in page.references:
        script = root / reference.path
        code, output = _text_of(script), _text_of(script.with_suffix(".out"))
        texts = [text for text in (code, output) if text]
        for version in reference.then:
            with contextlib.suppress(OSError, UnicodeDecodeError, ValueError):
                texts.append(printed(older_file(script, version)))
        found.append(Run("\n".join(texts), code, output))
    return tuple(found)


def _text_of(file: Path) -> str:
    with contextlib.suppress(OSError, UnicodeDecodeError):
        return read(file)
    return ""


@dataclass(frozen=True)
class Claim:
    """Something that a page says a run prints: numbers one after another, or words.

    `line`: the beginning of the one line of the output in which it must stand, or None. `source`:
    where it comes from instead, or None.
    """

    place: int
    kind: str
    wanted: tuple[float, ...] | str
    line: str | None = None
    source: str | None = None

    def proved_by(self, run: Run) -> bool:
        if self.line is not None:
            lines = [row for row in run.text.splitlines() if row.strip().startswith(self.line)]
            run = Run(lines[0]) if len(lines) == 1 else Run("")
        if isinstance(self.wanted, str):
            return all(part in run.words for part in _ELLIPSIS.split(self.wanted))
        # Elsewhere a minus may be a difference, or belong to what stands before.
        return run.holds(self.wanted, signed=self.kind == "value")

    def __str__(self) -> str:
        if isinstance(self.wanted, str):
            return self.wanted
        return ", ".join(f"{number:g}" for number in self.wanted)


def unproved_values(page: Page, runs: Callable[[str], Sequence[Run]]) -> Iterator[Problem]:
    """The numbers and messages of a page that no run on it shows.

    `runs` gives the runs of a page by its file; of one that doesn't exist, none.
    """
    own = runs(page.file)
    # What an equation derives may be spoken of too; that it is right is checked by itself.
    derived = Run(" ".join(f"{e.left} {e.right}" for e in equalities(page) if e.computed))
    spoken = Run(" ".join(maths["block"] or maths["inline"] for maths in maths_of(page)))
    claims = claims_of(page)
    for start, end in _sections(page):
        linked = [run for file in _linked(page, start, end) for run in runs(file)]
        for claim in (c for c in claims if start <= c.place < end and c.source is None):
            known = [*own, *linked, derived if claim.kind == "number in an equation" else spoken]
            if any(map(claim.proved_by, known[: -1 if claim.line else None])):
                continue
            where = f"the line with {claim.line!r} of" if claim.line else "the code or"
            yield Problem(
                page.file,
                page.text.count("\n", 0, claim.place) + 1,
                f"no run shows this {claim.kind}",
                f"what stands in {where} output of a snippet of the page, of a page that this "
                "section links to, or in an equation",
                str(claim),
                "correct it, or show the run that prints it",
                (page.file,),
            )


def _linked(page: Page, start: int, end: int) -> Iterator[str]:
    """The pages to which a section links."""
    folder = posixpath.dirname(page.file)
    for link in _LINK.finditer(page.text, start, end):
        yield posixpath.normpath(posixpath.join(folder, link["target"]))


def claims_of(page: Page) -> list[Claim]:
    """What a page says that runs print: in plain words, in code, in formulas."""
    return [*_in_prose(page), *_in_code(page), *_in_maths(page)]


def _in_prose(page: Page) -> Iterator[Claim]:
    words = list(prose(page))
    for title in _OUTSIDE.finditer(page.text):
        words[title.start() : title.end()] = _blank(title)
    for found in NUMBER.finditer("".join(words)):
        digits = found["digits"].rstrip(".")
        if not found["sign"] and len(digits) == 1:
            continue  # a count: two losses, the 3 layers
        if _VERSION.fullmatch(digits) or _YEAR.fullmatch(digits):
            continue
        yield Claim(found.start(), "number", (float(digits),))


def _in_code(page: Page) -> Iterator[Claim]:
    for code in _CODE.finditer(page.text):
        if not _in_words(page, code.start()):
            continue
        attributes = dict(_ATTRIBUTE.findall(code["attributes"] or ""))
        place, inside = code.start(), code["code"]
        more = attributes.get("line"), attributes.get("source")
        numbers = _numbers(inside)
        if _MESSAGE.fullmatch(inside):
            yield Claim(place, "message", " ".join(inside.split()), *more)
        elif _VALUE.fullmatch(inside):
            if numbers:
                yield Claim(place, "value", numbers, *more)
        else:  # an expression: its small numbers are places and counts
            for number in numbers:
                if abs(number) > 9 or not number.is_integer():
                    yield Claim(place, "number", (number,), *more)


def _in_maths(page: Page) -> Iterator[Claim]:
    for maths in maths_of(page):
        for found in NUMBER.finditer(_spaced(maths["block"] or maths["inline"])):
            if len(digits := found["digits"].rstrip(".")) > 1:
                yield Claim(maths.start(), "number in an equation", (float(digits),))


def _in_words(page: Page, place: int) -> bool:
    line = page.text.count("\n", 0, place) + 1
    return not any(first <= line <= last for first, last in page.blocks)


def _sections(page: Page) -> list[tuple[int, int]]:
    """The parts of a page, from one heading of the second level to the next."""
    places = [m.start() for m in re.finditer(r"^## ", page.text, re.MULTILINE)]
    return list(zip([0, *places], [*places, len(page.text)], strict=True))


def _spaced(text: str) -> str:
    """Brackets, commas and signs of operations do not belong to a number."""
    text = re.sub(r"\b10\^\{?(-?\d+)\}?", r"1e\1", text)
    return re.sub(r"[\[\](),*+=^/\\{}_&|]", " ", text)


def _numbers(text: str) -> tuple[float, ...]:
    found = NUMBER.finditer(_spaced(text))
    return tuple(float(n["digits"]) * (-1 if n["sign"] else 1) for n in found)


def _same(one: float, other: float) -> bool:
    return math.isclose(one, other, rel_tol=1e-6, abs_tol=1e-12)


def _same_size(one: float, other: float) -> bool:
    return _same(abs(one), abs(other))


def _blank(found: re.Match) -> str:
    return "".join(c if c == "\n" else " " for c in found[0])
