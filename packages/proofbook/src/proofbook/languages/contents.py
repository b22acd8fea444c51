"""What a page holds that no translation changes: numbers, formulas, links, boxes, figures."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, fields
from functools import lru_cache

from proofbook.model.page import Page

_CODE = re.compile(
    r"(?<!`)(?P<ticks>`+)(?!`)(?P<code>(?:(?!\n *\n).)*?)(?<!`)(?P=ticks)(?!`)", re.DOTALL
)
_DISPLAY = re.compile(r"\$\$(?P<latex>.*?)\$\$|\\\[(?P<other>.*?)\\\]", re.DOTALL)
_INLINE = re.compile(r"(?<![\\$])\$(?!\s)(?P<latex>[^$\n]+?)(?<!\s)\$|\\\((?P<other>.*?)\\\)")
_WORDS_IN_MATHS = re.compile(r"\\(?:text|mbox|textrm)\{[^{}]*\}")
# "w = 1" may be "w is 1" in words, and what is a name or a number needs no formula at all.
_IN_WORDS = re.compile(r"(?:[A-Za-z\\{}_^']+=)?-?[\d.]+|(?:[\d.]*[A-Za-z](?:_\w|_\{\w+\})?){0,2}")
_LINK = re.compile(
    r"(?P<image>!?)\[(?P<text>(?:[^\[\]]|\[[^\[\]]*\])*)\]"
    r"\(\s*<?(?P<address>[^\s()<>]*(?:\([^\s()]*\)[^\s()]*)*)>?[^()\n]*\)"
)
_ADDRESS = re.compile(r"<(?P<one>https?:[^>\s]*)>|^ *\[[^\]]+\]: *(?P<two>\S+).*$", re.MULTILINE)
_BOX = re.compile(r"^ *(?P<fold>!!!|\?\?\?\+?) +(?P<kind>[\w-]+)", re.MULTILINE)
_DIGITS = re.compile(r"\d+(?:\.\d+)*")
_START = re.compile(r" *(?:[-*+] |\d+\. |\||#|!!!|\?\?\?)")
_ROW = re.compile(r" *\|.*\| *$")
_NO_WORDS = re.compile(
    r"<!--.*?-->|</?[A-Za-z][^<>]*>|(?:(?<=[)\]`*])|(?<=\ ))\{:?\ *[#.][^{}\n]*\}", re.DOTALL
)
# "10 月" is a word in English; "[^1]" and "#12" count nothing.
_NAMES = re.compile(r"\d+ *月|\[\^\w+\]|#\d+")
_NUMBER = re.compile(
    r"(?P<sign>(?<![A-Za-z0-9_)\]}.])[-−])?(?<![A-Za-z0-9_.])"
    r"(?P<digits>\d+(?:\.\d+)*(?:e[-+]?\d+(?!\w))?|\.\d+)"
    r"(?: *(?P<unit>万|亿|thousand\b|million\b|billion\b))?"
)
_UNITS = {"万": 1e4, "亿": 1e8, "thousand": 1e3, "million": 1e6, "billion": 1e9}
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_OF_A_LANGUAGE = re.compile(r"(?<=//)(?:zh|en)\.(?P<host>[^/]+).*|/(?:zh|en)(?:[-_]\w+)?(?=/)")


@dataclass(frozen=True)
class Item:
    """Something that stands in a page, and the line of the file where it stands."""

    value: str
    line: int
    place: int = field(default=0, compare=False)


@dataclass(frozen=True)
class Section:
    """A heading with what stands under it; the first has also what stands above its heading."""

    anchor: str
    line: int
    text: str


@dataclass(frozen=True)
class Contents:
    """What is compared of a paragraph or a section.

    `numbers` in the order in which they stand; `counted`: those of them in code and maths;
    `words`: the prose without all that.
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

    def __add__(self, other: Contents) -> Contents:
        return Contents(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(self)))


def sections(page: Page) -> list[Section]:
    """The page cut at its headings; without anchor, or with one that was there, it cuts nothing."""
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
    lines, parts, maths = list(_own_lines(page)), [], False
    # Typed markers and headings without an anchor are told by themselves.
    for number in (*page.markers, *(h.line for h in page.headings if not h.anchor)):
        lines[number - 1] = ""
    last = section.line + section.text.count("\n")
    new = True
    for number in range(section.line, last + 1):
        line = lines[number - 1]
        if not line.strip():
            new = new or not maths
            continue
        if new or (_START.match(line) and not maths):
            parts.append((number, []))
        at, told = parts[-1]
        told += [""] * (number - at - len(told)) + [line]
        new, maths = False, maths != (line.count("$$") % 2 == 1)
    return [Section(section.anchor, at, "\n".join(told)) for at, told in parts]


def front_matter(page: Page) -> list[str]:
    """The lines of the front matter, without those that are words: title and description."""
    if not page.blocks or page.blocks[0][0] != 1 or page.line(1) != "---":
        return []
    told, words = [], False
    for line in page.text.split("\n")[1 : page.blocks[0][1] - 1]:
        if line[:1].strip():  # a key of its own, and no continuation of the one above
            words = line.startswith(("title:", "description:", "#"))
        if line.strip() and not words:
            told.append(line.rstrip())
    return told


def contents(page: Page, part: Section) -> Contents:
    """What stands in a section or a paragraph of the page beside its words."""
    first = part.line - 1
    text = "\n".join(_own_lines(page)[first : first + part.text.count("\n") + 1])

    def taken(pattern: re.Pattern, value: Callable[[re.Match], str | None]) -> list[Item]:
        """All matches as items; each is blanked, so that nothing else is seen in it."""
        nonlocal text
        found = []
        for match in pattern.finditer(text):
            if (told := value(match)) is not None:
                line = part.line + text.count("\n", 0, match.start())
                found.append(Item(told, line, match.start()))
        text = pattern.sub(_blank, text)
        return found

    code = taken(_CODE, lambda match: match["code"])
    display = taken(_DISPLAY, lambda match: match["latex"] or match["other"] or "")
    inline = taken(_INLINE, lambda match: match["latex"] or match["other"] or "")
    boxes = taken(_BOX, lambda match: f"{match['fold']} {match['kind']}")
    own = _LINK.sub(_own_text, text)
    figures, links = [], []
    for match in _LINK.finditer(text):
        line = part.line + text.count("\n", 0, match.start())
        kind = figures if match["image"] else links
        address = _any_language(match["address"], page.file)
        # The words of a title may be translated; its numbers are those of the thread.
        quoted = _DIGITS.findall(match["text"]) if match["address"].startswith("http") else []
        kind.append(Item(" ".join([address, *quoted]), line))
    text = own
    links += taken(_ADDRESS, lambda match: _any_language(match["one"] or match["two"], page.file))
    text = _NAMES.sub(_blank, _NO_WORDS.sub(_blank, text))
    rows = [
        Item(f"a row of {row.count('|') - 1}", part.line + n)
        for n, row in enumerate(text.split("\n"))
        if _ROW.match(row)
    ]
    words = Item(_THOUSANDS.sub("", text), part.line)
    counted = [x for told in (code, display, inline) for item in told for x in _numbers(item)]
    numbers = sorted([*counted, *_numbers(words)], key=lambda item: item.place)
    equations = [Item(_plain(item.value), item.line) for item in display]
    formulas = [Item(_plain(item.value), item.line) for item in inline]
    formulas = [x for x in formulas if not _IN_WORDS.fullmatch(x.value)]
    code = [Item(" ".join(item.value.split()), item.line) for item in code]
    words = Item(_NUMBER.sub(_blank, words.value), part.line)
    told = (equations, formulas, links, figures, boxes, rows, code, numbers, counted, [words])
    return Contents(*map(tuple, told))


@lru_cache(maxsize=16)
def _own_lines(page: Page) -> list[str]:
    """The lines of the page; those of front matter, fences and references are empty."""
    lines = page.text.split("\n")
    for start, end in page.blocks:
        lines[start - 1 : end] = [""] * (end - start + 1)
    return lines


def _plain(latex: str) -> str:
    """A formula without its blanks, and without the words in it."""
    return re.sub(r"\s+|\\[,;:!]|[,.，。;；]\s*$", "", _WORDS_IN_MATHS.sub(r"\\text{}", latex))


def _numbers(item: Item) -> Iterator[Item]:
    for found in _NUMBER.finditer(item.value):
        digits = found["digits"]
        if digits.count(".") < 2:  # otherwise a version, as 1.12.1
            value = float(digits) * _UNITS.get(found["unit"], 1)
            digits = f"{-value if found['sign'] and value else value:.12g}"
        line = item.line + item.value.count("\n", 0, found.start())
        yield Item(digits, line, item.place + found.start())


def _any_language(address: str, file: str) -> str:
    """An address as it is in either language: `leaf.zh.md` of a Chinese page is `leaf.md`."""
    if address.startswith(("http:", "https:")):
        return _OF_A_LANGUAGE.sub(lambda found: found["host"] or "", address)
    language = file.removesuffix(".md").rpartition(".")[2]
    return re.sub(rf"\.{language}(?=\.\w+(?:#|$))", "", address)


def _own_text(link: re.Match) -> str:
    """A link with the same length, of which only its text is left; a foreign title isn't."""
    if link["address"].startswith("http"):
        return _blank(link)
    before = len(link["image"]) + 1
    return " " * before + link["text"] + " " * (len(link[0]) - before - len(link["text"]))


def _blank(found: re.Match) -> str:
    return re.sub(r"[^\n]", " ", found[0])
