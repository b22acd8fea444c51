"""The language-independent contents of a page: numbers, formulas, links, boxes, figures."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, fields
from functools import partial
from itertools import chain

from proofbook.markdown.spans import Span
from proofbook.model.page import Page, language_of

_WORDS_IN_MATHS = re.compile(r"\\(?:text|mbox|textrm)\{[^{}]*\}")
# "w = 1" may be "w is 1" in words, and names and numbers need no formula at all.
_IN_WORDS = re.compile(
    r"(?:[A-Za-z\\{}_^']+=)?-?[\d.]+(?:\^(?:\d|\{-?\d+\}))?"
    r"|(?:[\d.]*[A-Za-z](?:_\w|_\{\w+\})?){0,2}"
)
_POWER = re.compile(
    r"(?<![\w^.{}])([1-9]\d{0,2})(?:\^\{?(-?\d{1,2})(?:(?!\w)|\})| 的 (\d{1,2}) 次方)"
)
_DIGITS = re.compile(r"\d+(?:\.\d+)*")
_START = re.compile(r" *(?:[-*+] |\d+\. |\||#|!!!|\?\?\?)")
# "10 月" is a word in English; "[^1]" and "#12" are not counts.
_NAMES = re.compile(r"\d+ *月|\[\^\w+\]|#\d+")
_NUMBER = re.compile(
    r"(?P<sign>(?<![A-Za-z0-9_)\]}.])[-−])?(?<![A-Za-z0-9_.])"
    r"(?P<digits>\d+(?:\.\d+)*(?:e[-+]?\d+(?!\w))?|\.\d+)"
    r"(?: *(?P<unit>万|亿|thousand\b|million\b|billion\b)|(?P<letter>[kMB])\b)?"
)
_UNITS = {"万": 1e4, "亿": 1e8, "thousand": 1e3, "million": 1e6, "billion": 1e9}
_UNITS |= {"k": 1e3, "M": 1e6, "B": 1e9}
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_OF_A_LANGUAGE = re.compile(r"(?<=//)(?:zh|en)\.(?P<host>[^/]+).*|/(?:zh|en)(?:[-_]\w+)?(?=/)")


@dataclass(frozen=True)
class Item:
    """Something in a page, with its line in the file."""

    value: str
    line: int
    place: int = field(default=0, compare=False)


@dataclass(frozen=True)
class Section:
    """A heading with the lines below it; the first section includes the lines above its heading.

    Also used for a paragraph. `line`: its first line; `text`: its unchanged lines.
    """

    anchor: str
    line: int
    text: str

    @property
    def lines(self) -> range:
        """The numbers of its lines."""
        return range(self.line, self.line + self.text.count("\n") + 1)


@dataclass(frozen=True)
class Contents:
    """The compared contents of a paragraph or a section.

    `numbers` in their order; `counted`: those of them in code and maths; `words`: the rest of the
    prose.
    """

    equations: tuple[Item, ...]
    formulas: tuple[Item, ...]
    links: tuple[Item, ...]
    figures: tuple[Item, ...]
    boxes: tuple[Item, ...]
    rows: tuple[Item, ...]
    code: tuple[Item, ...]
    numbers: tuple[Item, ...]
    counted: tuple[Item, ...]
    words: tuple[Item, ...]

    @classmethod
    def joined(cls, parts: Sequence[Contents]) -> Contents:
        """The combined contents of several paragraphs."""
        columns = ([getattr(part, f.name) for part in parts] for f in fields(cls))
        return cls(*(tuple(chain.from_iterable(column)) for column in columns))


def sections(page: Page) -> list[Section]:
    """The page cut at its headings, but for those without an anchor of their own."""
    lines, cuts = page.text.split("\n"), {}
    for heading in page.headings:
        if heading.anchor:
            cuts.setdefault(heading.anchor, heading.line if cuts else 1)
    starts = [*cuts.values(), len(lines) + 1]
    return [
        Section(anchor, start, "\n".join(lines[start - 1 : end - 1]))
        for anchor, start, end in zip(cuts, starts, starts[1:], strict=False)
    ]


def paragraphs(page: Page, section: Section) -> list[Section]:
    """A section cut into paragraphs, items of lists, rows of tables and titles of boxes."""
    # Typed markers and headings without an anchor are reported separately.
    silent = _silent_lines(page) | {heading.line for heading in page.headings if not heading.anchor}
    silent.update(page.markers)
    within_formula = {
        line
        for formula in page.maths
        for line in range(formula.line + 1, page.line_of(formula.end) + 1)
    }
    parts: list[tuple[int, list[str]]] = []
    new = True
    for number in section.lines:
        line = "" if number in silent else page.line(number)
        if number in within_formula and parts:
            parts[-1][1].append(line)
            continue
        if not line.strip():
            new = True
            continue
        if new or _START.match(line):
            parts.append((number, []))
        parts[-1][1].append(line)
        new = False
    return [Section(section.anchor, at, "\n".join(lines)) for at, lines in parts]


def front_matter(page: Page) -> list[str]:
    """The lines of the front matter, without the translated ones: title, description, short."""
    block = next(iter(page.spans_of("front-matter")), None)
    if block is None:
        return []
    kept, words = [], False
    for line in page.text[block.start : block.end].split("\n")[1:-1]:
        if line[:1].strip():  # a new key, not a continuation of the one above
            words = line.startswith(("title:", "description:", "short:", "#"))
        if line.strip() and not words:
            kept.append(line.rstrip())
    return kept


def contents(page: Page, part: Section) -> Contents:
    """The contents of a section or a paragraph of the page besides its words."""
    start = page.line_starts[part.lines.start - 1]
    end = page.line_starts[part.lines.stop - 1] - 1
    spans = page.spans_between(start, end)

    def items(value: Callable[[Span], str], *kinds: str) -> list[Item]:
        return [Item(value(s), s.line, s.start) for s in spans if s.kind in kinds]

    code = items(lambda span: span.content, "code")
    maths = [span for span in spans if span.kind == "maths"]
    latex = [Item(span.content, span.line, span.start) for span in maths]
    links = items(partial(_address, file=page.file), "link", "autolink", "definition")
    words = _words(page, spans, start, end)
    counted = [number for item in [*code, *latex] for number in _numbers(item)]
    numbers = sorted([*counted, *_numbers(words)], key=lambda item: item.place)
    equations = [Item(_plain(s.content), s.line) for s in maths if s.display]
    formulas = [Item(_plain(s.content), s.line) for s in maths if not s.display]
    return Contents(
        equations=tuple(equations),
        formulas=tuple(x for x in formulas if not _IN_WORDS.fullmatch(x.value)),
        links=tuple(links),
        figures=tuple(items(partial(_address, file=page.file), "image")),
        boxes=tuple(items(lambda span: span.name, "box")),
        rows=tuple(items(lambda span: f"a row of {span.name}", "row")),
        code=tuple(Item(" ".join(item.value.split()), item.line) for item in code),
        numbers=tuple(numbers),
        counted=tuple(counted),
        words=(Item(_NUMBER.sub(_blank, words.value), part.line),),
    )


def _words(page: Page, spans: Sequence[Span], start: int, end: int) -> Item:
    """The prose of a part of a page, without titles of other sites, and 1,000 written as 1000."""
    text = list(page.prose[start:end])
    for span in spans:
        if span.kind in ("link", "image") and span.external:
            for place in range(span.content_start, min(span.content_end, end)):
                text[place - start] = "\n" if text[place - start] == "\n" else " "
    words = _NAMES.sub(_blank, "".join(text))
    return Item(_THOUSANDS.sub("", words), page.line_of(start), start)


def _silent_lines(page: Page) -> set[int]:
    return {line for start, end in page.blocks for line in range(start, end + 1)}


def _plain(latex: str) -> str:
    """A formula without its blanks, and without the words in it."""
    return re.sub(r"\s+|\\[,;:!]|[,.，。;；]\s*$", "", _WORDS_IN_MATHS.sub(r"\\text{}", latex))


def _numbers(item: Item) -> Iterator[Item]:
    text = _POWER.sub(lambda x: f"{float(x[1]) ** int(x[2] or x[3]):.12g}", item.value)
    for found in _NUMBER.finditer(text):
        digits = found["digits"]
        if digits.count(".") < 2:  # otherwise a version, as 1.12.1
            value = float(digits) * _UNITS.get(found["unit"] or found["letter"], 1)
            digits = f"{-value if found['sign'] and value else value:.12g}"
        line = item.line + text.count("\n", 0, found.start())
        yield Item(digits, line, item.place + found.start())


def _address(link: Span, file: str) -> str:
    """The target of a link, the same in either language: `leaf.zh.md` of a Chinese page is
    `leaf.md`.

    The words of a title may be translated; its numbers must be the thread's.
    """
    if link.address.startswith(("http:", "https:")):
        there = _OF_A_LANGUAGE.sub(lambda found: found["host"] or "", link.address)
        return " ".join([there, *_DIGITS.findall(link.content if link.kind == "link" else "")])
    return re.sub(rf"\.{language_of(file)}(?=\.\w+(?:#|$))", "", link.address)


def _blank(found: re.Match) -> str:
    return re.sub(r"[^\n]", " ", found[0])
