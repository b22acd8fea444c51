"""Compares the two languages of a page: everything but their words must be the same.

A number may be a word in one of them: "thirty thousand nodes", 三万个节点.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest

from proofbook.directives.registry import declared_options
from proofbook.markdown.spans import OPTIONS, Option, Reference
from proofbook.model.book import Book
from proofbook.model.contents import (
    Contents,
    Item,
    Section,
    contents,
    front_matter,
    paragraphs,
    sections,
)
from proofbook.model.page import Page
from proofbook.model.problem import Problem
from proofbook.model.snippet import snippets_on_page

_KINDS = {
    "equations": "equations",
    "links": "links",
    "figures": "figures",
    "boxes": "boxes",
    "rows": "rows of tables",
}


OnlyInOne = tuple[list[Item], list[Item]]
"""The items only in the first, and only in the second."""

_EN = {"zero": 0.0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7}
_EN |= {"eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12}
_TEENS = ("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen")
_EN |= {word: number for number, word in enumerate(_TEENS, 13)}
_TENS = {"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70}
_TENS |= {"eighty": 80, "ninety": 90}
_UNITS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_EN |= _TENS | {
    f"{ten}{sign}{unit}": number + count
    for ten, number in _TENS.items()
    for count, unit in enumerate(_UNITS, 1)
    for sign in "- "
}
_EN |= {"third": 3, "fourth": 4, "quarter": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8}
_EN |= {"ninth": 9, "tenth": 10, "triple": 3, "thrice": 3}
_TIMES = {"hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9}
_LONGEST_FIRST = "|".join(sorted(_EN, key=len, reverse=True))
_ENGLISH = re.compile(
    rf"\b(?:(?P<one>{_LONGEST_FIRST})s?(?:[ -](?P<times>{'|'.join(_TIMES)})(?:th)?s?)?"
    rf"|(?P<only>{'|'.join(_TIMES)})(?:th)?s?)\b",
    re.IGNORECASE,
)
_ZH = {sign: float(number) for number, sign in enumerate("零一二三四五六七八九")} | {"两": 2.0}
_PLACES = {"十": 10.0, "百": 100.0, "千": 1000.0}
_LARGE = {"万": 1e4, "亿": 1e8}
_CHINESE = re.compile(f"[{''.join(_ZH)}十百千万亿]+")
# Signs that count nothing: 十分, 四舍五入, 百分, 万一, 千万, 再三, 三角, 第三方.
_NO_NUMBER = re.compile(
    "十分(?!之)|四舍五入|百分(?!之一)|万一|千万(?=[别不要])|再三|三角|第三方|七[上零]八[下落]"
)
# Words that may mean a number: they match one in the other language, but require none.
_HINTS = {
    0: r"\bno\b|\bnot\b|\bnone\b|\bnothing\b|\bnever\b|\bwithout\b|没|不|无|空",
    1: r"\bonce\b|\bfirst\b|\bsingle\b|\ban?\b|\bonly\b|\bsame\b|\bunit\b|\beach\b|首|单|每|各|同",
    2: r"\btwice\b|\bsecond\b|\bboth\b|\bhal[fv]\w*|\bpair\b|\bdoubled?s?\b|半|双|平方|\bsquare",
}


_VALUE = re.compile(r"[-−\d.e+,\[\]() ]+")
_PLAIN_NAME = re.compile(r"[A-Za-z_.]+(?:\(\))?")


def problems_of_pair(book: Book, one: str, other: str) -> tuple[Problem, ...]:
    """Differences between two languages of a page, by their files; `one`: in the first language."""
    runs = "\n".join(run.text for run in book.fact(snippets_on_page, one))
    options = declared_options(book)
    return tuple(language_differences(book.page(one), book.page(other), runs, options))


def language_differences(
    one: Page,
    other: Page,
    shown: str = "",
    options: Mapping[str, Option] = OPTIONS,
) -> Iterator[Problem]:
    """Differences between two languages of a page; `one` is in the first language of the book.

    `shown` is the code and output of their snippets: both may use names from it as needed.
    `options`: the options of the directives that the pages may use.
    """
    yield from _order(one, other, options)
    yield from _front_matter(one, other)
    theirs = {section.anchor: section for section in sections(other)}
    known = [" ".join([shown, *(s.one_line for s in page.code_spans)]) for page in (one, other)]
    for here in sections(one):
        if there := theirs.get(here.anchor):
            yield from _section(one, here, other, there, known)


def _same_options(reference: Reference, options: Mapping[str, Option]) -> Iterator[str]:
    """The parts of options that are the same in each language: first values without words."""
    same = [key for key, *_ in reference.options if key in options and options[key].same]
    yield from (v for key, v, _ in reference.options if key in same and not options[key].words)
    for key in sorted({key for key in same if options[key].words == "last"}):
        yield from (about for about, _, _ in reference.worded(key))


def _order(one: Page, other: Page, options: Mapping[str, Option]) -> Iterator[Problem]:
    """The two languages of a page show the same snippets and headings, in the same order."""

    def marks(page: Page) -> list[Item]:
        # Typed code and headings without an anchor are reported separately.
        excluded = {*page.typed_python, *(h.line for h in page.headings if not h.anchor)}
        found = [
            Item(" ".join([r.path, *_same_options(r, options)]), r.line) for r in page.references
        ]
        found += [Item(f"{'#' * h.level} {{ #{h.anchor} }}", h.line) for h in page.headings]
        found += [Item(page.line(s.line).strip(), s.line) for s in page.spans_of("fence")]
        return sorted((x for x in found if x.line not in excluded), key=lambda x: x.line)

    ours, theirs = marks(one), marks(other)
    for here, there in zip_longest(ours, theirs):
        if here is None or there is None or here.value != there.value:
            page, at = (one, here) if here else (other, there)
            counterpart = other if page is one else one
            expected = there.value if here and there else "nothing more"
            yield Problem(
                page.file,
                at.line,
                "the two languages of the page part here",
                f"the same as in {counterpart.file}: {expected}",
                at.value,
                f"give {one.file} and {other.file} the same snippets and anchors in the same order",
                (one.file, other.file),
            )
            return


def _front_matter(one: Page, other: Page) -> Iterator[Problem]:
    ours, theirs = front_matter(one), front_matter(other)
    if ours != theirs:
        yield Problem(
            one.file,
            1,
            "the front matter of the two languages differs",
            f"but for title and description, the same as in {other.file}:\n"
            + ("\n".join(theirs) or "none"),
            "\n".join(ours) or "none",
            f"give {one.file} and {other.file} the same front matter",
            (one.file, other.file),
        )


def _section(
    one: Page, here: Section, other: Page, there: Section, known: Sequence[str]
) -> Iterator[Problem]:
    parts, others = paragraphs(one, here), paragraphs(other, there)
    ours = [contents(one, part) for part in parts]
    theirs = [contents(other, part) for part in others]
    whole, counterpart = Contents.joined(ours), Contents.joined(theirs)
    heads = here.line, there.line
    if len(ours) == len(theirs):
        compared = list(zip(ours, theirs, zip(parts, others, strict=True), strict=True))
    else:
        compared = [(whole, counterpart, (here, there))]
    found = [
        (name, _differing_items(kind, whole, counterpart), heads) for kind, name in _KINDS.items()
    ]
    for mine, other_one, at in compared:
        lines = at[0].line, at[1].line
        found.append(("numbers", _differing_numbers(mine, other_one), lines))
        formulas = mine.formulas, other_one.formulas
        found.append(("formulas", (_not_among(*formulas), _not_among(*formulas[::-1])), lines))
        found.append(("code in the text", _differing_code(mine, other_one, known), lines))
    for name, both, lines in found:
        if any(both):
            yield _different_items(one, other, here.anchor, name, *both, lines)


def _different_items(
    one: Page,
    other: Page,
    anchor: str,
    name: str,
    more: Sequence[Item],
    less: Sequence[Item],
    lines: tuple[int, int],
) -> Problem:
    """The items only in `one`, and only in `other`; reported on the page that has more."""
    page, counterpart, at = (one, other, lines[1]) if more else (other, one, lines[0])
    here_only, there_only = (more, less) if more else (less, more)
    return Problem(
        page.file,
        min(item.line for item in here_only),
        f"the two languages of the page have different {name} under #{anchor}",
        f"the same as in {counterpart.file}:{at}: {_listed(there_only) or 'none of these'}",
        f"here only: {_listed(here_only)}",
        f"say the same in {one.file} and {other.file}",
        (one.file, other.file),
    )


def _listed(items: Sequence[Item]) -> str:
    return ", ".join(dict.fromkeys(item.value for item in items))


def _differing_items(kind: str, one: Contents, other: Contents) -> OnlyInOne:
    ours, theirs = getattr(one, kind), getattr(other, kind)
    if kind in ("equations", "boxes"):
        for here, there in zip_longest(ours, theirs):
            if here is None or there is None or here.value != there.value:
                return [here] if here else [], [there] if there else []
        return [], []
    return _surplus(ours, theirs), _surplus(theirs, ours)


def _differing_code(one: Contents, other: Contents, known: Sequence[str]) -> OnlyInOne:
    """The code that only one of the paragraphs has.

    A language may need a name where the other has a pronoun or a verb; then the name is in the
    `known` text of the other page: the code in its text, and the code and output of its snippets.
    """

    def only_here(here: Contents, there: Contents, text: str) -> list[Item]:
        return [
            item
            for item in _not_among(here.code, there.code)
            if not _VALUE.fullmatch(item.value)  # reported with the numbers
            and not (_PLAIN_NAME.fullmatch(item.value) and _stands_in(item.value, text))
        ]

    return only_here(one, other, known[1]), only_here(other, one, known[0])


def _stands_in(name: str, text: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(name.lstrip('.'))}(?!\w)", text) is not None


def _differing_numbers(one: Contents, other: Contents) -> OnlyInOne:
    """The numbers that only one of the paragraphs has.

    Repeating a number is style; one number more and another one fewer is an error.
    """
    ours, theirs = ([x for x in c.numbers if _in_digits(x.value)] for c in (one, other))
    more, less = _surplus(ours, theirs), _surplus(theirs, ours)
    if not (more and less):
        more, less = _not_among(ours, theirs), _not_among(theirs, ours)
    # Digits in one language may be words in the other.
    in_words, in_others = _as_words(one), _as_words(other)
    more = [item for item in more if item.value not in in_others]
    less = [item for item in less if item.value not in in_words]
    return more + _small_numbers(one, other), less + _small_numbers(other, one)


def _small_numbers(one: Contents, other: Contents) -> list[Item]:
    """The small numbers and numbers in words that the other paragraph doesn't have.

    Code and maths have digits; in prose a word may express the same.
    """
    there = _as_words(other)
    digits = {item.value for item in other.numbers}
    counted = set(map(id, one.counted))
    found = []
    for item in one.numbers:
        if not _in_digits(item.value) and item.value not in digits:
            in_words = id(item) not in counted
            if not in_words or (item.value not in there and not _hinted(item.value, other)):
                found.append(item)
    for number in _as_words(one) - digits - there - {"0", "1", "2"}:
        found.append(Item(number, one.words[0].line))
    return list(dict.fromkeys(found))


def _as_words(contents: Contents) -> set[str]:
    return {
        f"{number:.12g}" for words in contents.words for number in numbers_in_words(words.value)
    }


def _hinted(number: str, contents: Contents) -> bool:
    return any(float(number) in hinted_numbers(words.value) for words in contents.words)


def _in_digits(number: str) -> bool:
    """Whether a number is written in digits in both languages: not 3, 10, 100 or 10000."""
    return not re.fullmatch(r"\d|10+", number)


def _surplus(some: Iterable[Item], others: Iterable[Item]) -> list[Item]:
    """The items that occur more often than among the others, with the surplus."""
    left, found = Counter(item.value for item in others), []
    for item in some:
        if left[item.value]:
            left[item.value] -= 1
        else:
            found.append(item)
    return found


def _not_among(some: Iterable[Item], others: Iterable[Item]) -> list[Item]:
    """The items that the others don't have at all."""
    there = {item.value for item in others}
    return [item for item in some if item.value not in there]


def numbers_in_words(text: str) -> Iterator[float]:
    """The numbers that are written as words in a text in English or Chinese."""
    for found in _ENGLISH.finditer(text):
        one = _EN[found["one"].lower()] if found["one"] else 1.0
        times = found["times"] or found["only"]
        yield one * (_TIMES[times.lower()] if times else 1)
    text = _NO_NUMBER.sub(lambda found: " " * len(found[0]), text)
    for found in _CHINESE.finditer(text):
        yield from _chinese(found[0])


def hinted_numbers(text: str) -> set[float]:
    """Which of 0, 1 and 2 a text may express in words: "without", "once", "both", 没, 单, 半."""
    return {float(n) for n, words in _HINTS.items() if re.search(words, text, re.IGNORECASE)}


def _chinese(signs: str) -> list[float]:
    """三万五千 is one number; 三四, "three or four", is two."""
    if not set(signs) & {*_PLACES, *_LARGE}:
        return [_ZH[sign] for sign in signs]
    total = part = digit = 0.0
    for before, sign in zip(" " + signs, signs, strict=False):
        if sign in _ZH:
            digit = _ZH[sign]
        elif sign in _PLACES:
            part += (digit or (0.0 if before in _PLACES else 1.0)) * _PLACES[sign]
            digit = 0.0
        else:
            total += (part + digit or 1.0) * _LARGE[sign]
            part = digit = 0.0
    return [total + part + digit]
