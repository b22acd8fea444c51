"""Slips of the pen in what a page says: numbers, signs, names, sentences. See `mutations.py`.

What is code, maths or prose is told here by other means than those of the checks wherever that is
possible, so that a place which a check overlooks is not overlooked here too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from proofbook.model.book import Book
from proofbook.model.page import Page

Edit = tuple[int, int, str]
"""What stands between two places of a text is replaced."""

_CODE = re.compile(r"(?P<ticks>`+)(?!`)(?P<said>.*?)(?<!`)(?P=ticks)(?!`)")
_MATHS = re.compile(r"\$\$.*?\$\$|(?<![\\$])\$(?!\s)[^$\n]+?\$", re.DOTALL)
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_NUMBER = re.compile(r"(?<![\d.])\d+(?:\.\d+)*(?:e[-+]?\d+)?")
_NAME = re.compile(r"[A-Za-z_][A-Za-z_0-9]*")
_SENTENCE = re.compile(r"[^\n]*?(?:[。！？](?=[^」”）])|[.!?](?= )|$) ?", re.MULTILINE)
_NO_SENTENCE = re.compile(r"[ >]*(?:#|!!!|\?\?\?|\||::: |$|-+ \[)")
_OPERATOR = {
    "m": re.compile(
        r"\\(?:times|cdot|approx|sum|log|leq?|geq?)(?![A-Za-z])"
        r"|(?<=[\w)}\]|])[ &]*[-+/=<>]|(?<=\\\\\n)[ &]*="
    ),
    "c": re.compile(r"(?<= )(?:[-+*/]|[-+*/]?=|==|[<>]=?)(?= )"),
}
_SUM = re.compile(r"[ $(=&`](?: ?\+ ?| ?\* ?| \\times | \\cdot )[ $)=&`.,]")
"""2 + 3 is 3 + 2: nothing becomes false."""
_OTHER = {
    **{"+": "-", "-": "+", "/": "*", "*": "/", "=": r"\neq", "<": ">", ">": "<"},
    **{r"\times": "+", r"\cdot": "+", r"\approx": r"\neq", r"\sum": r"\prod", r"\log": r"\exp"},
    **{r"\le": r"\ge", r"\leq": r"\geq", r"\ge": r"\le", r"\geq": r"\leq"},
    **{"+=": "-=", "-=": "+=", "*=": "/=", "/=": "*=", "==": "!=", "<=": ">=", ">=": "<="},
}
_WORDS = ["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven"]
_SIGNS = "二三四五六七八九十"
_WORD = re.compile(
    rf"\b(?:{'|'.join(_WORDS[:-1])}|twice)\b"
    rf"|(?<![{_SIGNS}一第])[两{_SIGNS}](?=[个次份张层步行列遍条种页处段句位项块类倍格轮批维步])",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Mutant:
    """One change of one file. `before` and `after` are the place with a little around it."""

    kind: str
    file: str
    line: int
    before: str
    after: str
    edit: Edit

    def text(self, text: str) -> str:
        """The text of the file with the change made."""
        start, end, new = self.edit
        return text[:start] + new + text[end:]


def mutant(kind: str, file: str, text: str, edit: Edit, around: int = 24) -> Mutant:
    """The change told so that it can be found by eye."""
    start, end, new = edit
    left = max(text.rfind("\n", 0, start) + 1, start - around)
    right = text.find("\n", end)
    right = min(len(text) if right < 0 else right, end + around)
    before, after = text[left:right], text[left:start] + new + text[end:right]
    return Mutant(kind, file, text.count("\n", 0, start) + 1, before, after, edit)


@cache
def marks(page: Page) -> str:
    """A letter for each character of a page: `c`ode, `m`aths, `p`rose, `q`uoted prose, or blank."""
    text, told = page.text, [" "] * len(page.text)
    words, ours = page.prose, page.own_words
    for place, letter in enumerate(words):
        if not letter.isspace():
            told[place] = "p" if ours[place] == letter else "q"
    closed = list(text)
    at = [0]
    for line in text.split("\n"):
        at.append(at[-1] + len(line) + 1)
    for first, last in page.blocks:
        for place in range(at[first - 1], at[last] - 1):
            closed[place] = "\n"
    open_text = _COMMENT.sub(lambda found: "\n" * len(found[0]), "".join(closed))
    for found in _CODE.finditer(open_text):
        told[found.start("said") : found.end("said")] = "c" * len(found["said"])
        open_text = open_text[: found.start()] + "`" * len(found[0]) + open_text[found.end() :]
    for found in _MATHS.finditer(open_text):
        told[found.start() : found.end()] = "m" * len(found[0])
    return "".join(told)


def numbers(page: Page, marked: str, letter: str) -> Iterator[re.Match]:
    """The numbers that stand in code, maths or prose and are no part of a name."""
    for found in _NUMBER.finditer(page.text):
        if marked[found.start()] == letter and not _in_name(page.text, found, letter):
            yield found


def _in_name(text: str, number: re.Match, letter: str) -> bool:
    before, after = text[number.start() - 1], text[number.end() : number.end() + 2]
    if letter == "m":  # 4x and x_2 are maths
        return False
    return bool(re.match(r"[A-Za-z_]", before) or re.match(r"(?!s\b)[A-Za-z_]", after))


def digits(letter: str) -> Callable[[Page, Book], Iterator[Edit]]:
    """Each digit of each number becomes the next digit."""

    def edits(page: Page, book: Book) -> Iterator[Edit]:
        for number in numbers(page, marks(page), letter):
            yield from next_digits(page.text, number.start(), number.end())

    return edits


def digits_of_names(page: Page, book: Book) -> Iterator[Edit]:
    """`Conv2d` becomes `Conv3d`, `loss1` becomes `loss2`."""
    marked = marks(page)
    for number in _NUMBER.finditer(page.text):
        letter = marked[number.start()]
        if letter in "cp" and _in_name(page.text, number, letter):
            yield from next_digits(page.text, number.start(), number.end())


def next_digits(text: str, start: int, end: int) -> Iterator[Edit]:
    """Each digit between two places becomes the next digit."""
    for place in range(start, end):
        if text[place].isdigit():
            yield place, place + 1, str((int(text[place]) + 1) % 10)


def signs(letter: str, put: bool = True) -> Callable[[Page, Book], Iterator[Edit]]:
    """Each negative number loses its sign; with `put`, each other number gets one."""

    def edits(page: Page, book: Book) -> Iterator[Edit]:
        text = page.text
        for number in numbers(page, marks(page), letter):
            start = number.start()
            if float_text(number[0]) in (None, 0.0):
                continue
            if text[start - 1] in "-−":
                if not re.search(r"[\w)\]}] ?$", text[max(0, start - 4) : start - 1]):
                    yield start - 1, start, ""
            elif put and not re.search(r"[-\w.^_#]$|_\{$", text[max(0, start - 2) : start]):
                yield start, start, "-"

    return edits


def float_text(number: str) -> float | None:
    """The value of what looks like a number, or None where it is a version."""
    try:
        return float(number)
    except ValueError:
        return None


def number_words(page: Page, book: Book) -> Iterator[Edit]:
    """`three` becomes `four`, 三个 becomes 四个."""
    marked = marks(page)
    for found in _WORD.finditer(page.text):
        word = found[0].lower()
        if marked[found.start()] != "p":
            continue
        if word == "twice":
            new = "three times"
        elif word in _WORDS:
            new = _WORDS[_WORDS.index(word) + 1]
        else:
            new = "三" if word in "两二" else _SIGNS[(_SIGNS.index(word) + 1) % len(_SIGNS)]
        yield found.start(), found.end(), new


def operators(letter: str) -> Callable[[Page, Book], Iterator[Edit]]:
    """Plus becomes minus, times becomes plus, equal becomes unequal, and so on."""

    def edits(page: Page, book: Book) -> Iterator[Edit]:
        marked = marks(page)
        for found in _OPERATOR[letter].finditer(page.text):
            sign = found[0].lstrip(" &")
            if marked[found.end() - 1] == letter:
                new = "-=" if letter == "c" and sign == "=" else _OTHER[sign]
                yield found.end() - len(sign), found.end(), new

    return edits


def names(swap: bool) -> Callable[[Page, Book], Iterator[Edit]]:
    """A letter of the name of a function or attribute is dropped, or changes places with the next.

    Names are those that a call or a dot shows, and those with `_` or a capital within.
    """

    def edits(page: Page, book: Book) -> Iterator[Edit]:
        marked, text = marks(page), page.text
        for found in _NAME.finditer(text):
            name, start = found[0], found.start()
            if marked[start] != "c" or len(name) < 4 or text[start - 1].isdigit():
                continue
            called = text[start - 1] == "." or text[found.end() : found.end() + 1] == "("
            if not called and not re.search(r"[a-z]_[a-z]|[a-z][A-Z]", name):
                continue
            middle = len(name) // 2
            if not swap:
                yield start + middle, start + middle + 1, ""
                continue
            for at in (*range(middle, len(name) - 1), *range(middle)):
                if name[at] != name[at + 1]:
                    yield start + at, start + at + 2, name[at + 1] + name[at]
                    break

    return edits


_OF_LABEL = re.compile(r"`[\w.\[\]]+` ?(?: is|是|等于| becomes|变成) ?[`$*]*-?[\d.]*(\d)(?!\d)")
_UNIT = re.compile(r"(?<=\d)[`$*]* ?(bytes|字节|kB|MB|GB|KiB|MiB|GiB)(?![A-Za-z])")
_SAID = re.compile(r"(?:[Ss]ince|[Bb]efore) (?:PyTorch )?[12]\.(\d+)|[12]\.(\d+) ?(?:起|之前|以前)")


def numbers_of_labels(page: Page, book: Book) -> Iterator[Edit]:
    """The last digit of a number that follows "`x.grad` is" becomes the next one."""
    for found in _OF_LABEL.finditer(page.text):
        yield from next_digits(page.text, *found.span(1))


def units(page: Page, book: Book) -> Iterator[Edit]:
    """The unit of a number becomes another one."""
    for found in _UNIT.finditer(page.text):
        yield *found.span(1), "MB" if found[1] != "MB" else "kB"


def versions_said(page: Page, book: Book) -> Iterator[Edit]:
    """Since 2.14 becomes since 2.11."""
    for found in _SAID.finditer(page.text):
        start, end = found.span(1 if found[1] else 2)
        yield start, end, str((int(page.text[start:end]) + 4) % 16)


def _sentences(page: Page, rows: bool) -> Iterator[tuple[int, int]]:
    """Where sentences stand; with `rows`, also headings and rows of tables."""
    masked = "".join(
        letter if mark in "pq" or letter in "\n " else "_"
        for letter, mark in zip(page.text, marks(page), strict=True)
    )
    prosaic = page.prose
    for found in _SENTENCE.finditer(masked):
        row = page.text[page.text.rfind("\n", 0, found.start()) + 1 : found.end()]
        said = prosaic[found.start() : found.end()].strip()
        if said and not re.fullmatch(r"\d+\.", said) and (rows or not _NO_SENTENCE.match(row)):
            yield found.span()


def swapped_values(page: Page, book: Book) -> Iterator[Edit]:
    """Two neighboring numbers of a sentence change places."""
    marked = marks(page)
    found = sorted(number.span() for x in "cmp" for number in numbers(page, marked, x))
    for start, end in _sentences(page, True):
        here = [span for span in found if start <= span[0] and span[1] <= end]
        for (one, to), (other, last) in pairwise(here):
            first, second = page.text[one:to], page.text[other:last]
            around = page.text[one - 1] + page.text[to:other] + page.text[last]
            if first != second and not _SUM.fullmatch(around):
                yield one, last, second + page.text[to:other] + first


def dropped_sentences(page: Page, book: Book) -> Iterator[Edit]:
    """A sentence that holds a number is gone in one language."""
    marked = marks(page)
    for start, end in _sentences(page, False):
        if any(
            page.text[place].isdigit() and marked[place] in "cmp" for place in range(start, end)
        ):
            yield start, end, ""
