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
from functools import cached_property, partial
from itertools import accumulate
from pathlib import Path

from proof.equations import equalities, maths_of, sides
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
_BARE = re.compile(r"(?:[-\d.,()\[\]\s&]|\\[,;! ]|\\(?:left|right)\b)*")
# Versions of PyTorch and years say of themselves where they come from.
_VERSION = re.compile(r"(?:0\.[1-4]|1\.(?:1[0-3]|\d)|2\.(?:1[0-3]|\d))(?:\.[0-2])?")
_YEAR = re.compile(r"20[12]\d")


@dataclass(frozen=True)
class Run:
    """One text that a reader sees of a run: its code, or what it printed.

    `name`: what the page may call the `script`, unlike all others on it. `part`: "code", "out", or
    the older version of PyTorch that printed it. `page` and `place`: the file of the page that
    shows it, and where in its text.
    """

    text: str
    script: str = ""
    name: str = ""
    part: str = "out"
    page: str = ""
    place: int = 0

    @cached_property
    def lines(self) -> list[str]:
        return self.text.split("\n")

    @cached_property
    def numbers(self) -> list[tuple[float, int]]:
        """Each number with its line, from 1."""
        rows = enumerate(map(_numbers, self.lines), 1)
        return [(number, line) for line, numbers in rows for number in numbers]

    @cached_property
    def words(self) -> str:
        return " ".join(self.text.split())

    def lines_with(self, wanted: Sequence[float], signed: bool) -> Iterator[int]:
        """The lines in which these numbers begin, one after another, with these signs or any.

        First those that hold all of them: a matrix goes on in the next line.
        """
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
        """The line in which these words begin; they may go on below, `...` leaves some out."""
        parts = _ELLIPSIS.split(words)
        if all(part in self.words for part in parts):
            before = self.words[: self.words.index(max(parts, key=len))].count(" ")
            ends = accumulate(len(line.split()) for line in self.lines)
            yield next(line for line, end in enumerate(ends, 1) if end > before)


def runs_of(page: Page, root: Path) -> tuple[Run, ...]:
    """The texts of the runs that a page shows; one that cannot be read is told elsewhere."""
    found = []
    stems = {reference.path: Path(reference.path).stem for reference in page.references}
    starts = [0, *(end.end() for end in re.finditer("\n", page.text))]
    for reference in page.references:
        path, script = reference.path, root / reference.path
        name, place = stems[path], starts[reference.line - 1]
        if list(stems.values()).count(name) > 1:
            name = path.removesuffix(".py").replace("/", "-")
        output = script.with_suffix(".out")
        texts = [("code", partial(read, script)), ("out", partial(read, output))]
        texts += [(version, partial(_older, script, version)) for version in reference.then]
        for part, text in texts:
            with contextlib.suppress(OSError, UnicodeDecodeError, ValueError):
                found.append(Run(text(), path, name, part, page.file, place))
    return tuple(found)


def _older(script: Path, version: str) -> str:
    return printed(older_file(script, version))


@dataclass(frozen=True)
class Claim:
    """Something that a page says a run prints: numbers one after another, or words.

    `place` and `end`: where it stands in the text of the page, with its marks of code; `said`: its
    own words. `line`: the beginning of the one line of the output in which it must stand, or None.
    `source`: where it comes from instead, or None. `bare`: whether nothing is done with it where it
    stands; the 3 of $3w = 6$ is not what anything came to.
    """

    place: int
    end: int
    kind: str
    wanted: tuple[float, ...] | str
    said: str
    line: str | None = None
    source: str | None = None
    bare: bool = True

    def lines_in(self, run: Run) -> list[int]:
        """The lines of a run that show it; those first that say it just so."""
        if isinstance(self.wanted, str):
            lines = list(run.lines_saying(self.wanted))
        else:  # Elsewhere a minus may be a difference, or belong to what stands before.
            found = run.lines_with(self.wanted, signed=self.kind == "value")
            lines = sorted(found, key=lambda line: self.said not in run.lines[line - 1])
        if self.line is None:
            return lines
        named = [n for n, row in enumerate(run.lines, 1) if row.strip().startswith(self.line)]
        return [line for line in lines if [line] == named]

    def __str__(self) -> str:
        if isinstance(self.wanted, str):
            return self.wanted
        return ", ".join(f"{number:g}" for number in self.wanted)


@dataclass(frozen=True)
class Proof:
    """The line of a run, from 1, that shows what a page says."""

    run: Run
    line: int


def proofs(
    page: Page, runs: Callable[[str], Sequence[Run]]
) -> Iterator[tuple[Claim, Iterator[Proof]]]:
    """What a page says that runs print, each with the lines that prove it, the best first.

    `runs` gives the runs of a page by its file; of one that doesn't exist, none. What proves a
    number may be an equation of the page instead: a run that is no `script`'s.
    """
    own = runs(page.file)
    # What an equation derives may be spoken of too; that it is right is checked by itself.
    derived = Run(" ".join(f"{e.left} {e.right}" for e in equalities(page) if e.computed))
    spoken = Run(" ".join(maths["block"] or maths["inline"] for maths in maths_of(page)))
    claims = [claim for claim in claims_of(page) if claim.source is None]
    for start, end in _sections(page):
        linked = [run for file in _linked(page, start, end) for run in runs(file)]
        for claim in (claim for claim in claims if start <= claim.place < end):
            known = sorted([*own, *linked], key=partial(_distance, claim, page, start, end))
            if not claim.line:
                known.append(derived if claim.kind == "number in an equation" else spoken)
            yield claim, _in_order(claim, known)


def _in_order(claim: Claim, runs: Sequence[Run]) -> Iterator[Proof]:
    for run in runs:
        yield from (Proof(run, line) for line in claim.lines_in(run))


def _distance(claim: Claim, page: Page, start: int, end: int, run: Run) -> tuple:
    """How far a reader of the claim has to look for a run, in the order of what counts most."""
    elsewhere = run.page != page.file
    return (
        elsewhere,
        not elsewhere and not start <= run.place < end,
        not re.search("[a-z]", claim.said) or claim.said not in run.text,  # `lr=0.1`
        ("out", "code").index(run.part) if run.part in ("out", "code") else 2,
        run.place > claim.place,
        abs(run.place - claim.place),
    )


def unproved_values(page: Page, runs: Callable[[str], Sequence[Run]]) -> Iterator[Problem]:
    """The numbers and messages of a page that no run on it shows."""
    for claim, proving in proofs(page, runs):
        if next(proving, None) is None:
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
        said = found[0].rstrip(".")
        place = found.start()
        yield Claim(place, place + len(said), "number", (float(digits),), said)


def _in_code(page: Page) -> Iterator[Claim]:
    for code in _CODE.finditer(page.text):
        if not _in_words(page, code.start()):
            continue
        attributes = dict(_ATTRIBUTE.findall(code["attributes"] or ""))
        (place, end), inside = code.span(), code["code"]
        more = inside, attributes.get("line"), attributes.get("source")
        numbers = _numbers(inside)
        if _MESSAGE.fullmatch(inside):
            yield Claim(place, end, "message", " ".join(inside.split()), *more)
        elif _VALUE.fullmatch(inside):
            if numbers:
                yield Claim(place, end, "value", numbers, *more)
        else:  # an expression: its small numbers are places and counts
            for number in numbers:
                if abs(number) > 9 or not number.is_integer():
                    yield Claim(place, end, "number", (number,), *more)


def _in_maths(page: Page) -> Iterator[Claim]:
    for maths in maths_of(page):
        latex = maths["block"] or maths["inline"]
        bare = [range(at, at + len(s)) for s, at in sides(latex) if _BARE.fullmatch(s)]
        for found in NUMBER.finditer(_spaced(latex)):
            if len(digits := found["digits"].rstrip(".")) > 1:
                alone = any(found.start() in side for side in bare)
                told = "number in an equation", (float(digits),), digits
                yield Claim(*maths.span(), *told, bare=alone)


def _in_words(page: Page, place: int) -> bool:
    line = page.text.count("\n", 0, place) + 1
    return not any(first <= line <= last for first, last in page.blocks)


def _sections(page: Page) -> list[tuple[int, int]]:
    """The parts of a page, from one heading of the second level to the next."""
    places = [m.start() for m in re.finditer(r"^## ", page.text, re.MULTILINE)]
    return list(zip([0, *places], [*places, len(page.text)], strict=True))


def _spaced(text: str) -> str:
    """Brackets, commas and signs of operations do not belong to a number."""
    text = re.sub(r"\b10\^\{?(-?\d+)\}?", lambda n: f"1e{n[1]}".ljust(len(n[0])), text)
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
