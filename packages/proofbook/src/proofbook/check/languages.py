"""Compares the two languages of a page: everything but their words must be the same.

A number may be a word in one of them: "thirty thousand nodes", 三万个节点.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import zip_longest

from proofbook.check.number_words import Spoken, numbers_in_words
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

PARTED = "from here on the two languages show other snippets or headings"
NONE_OF_THESE = "none of these"
"""What is expected of a page that alone has something."""

_MINUS = re.compile(r"\b(?:minus|negative)\b|负")
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
                PARTED,
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
    at = min((item.line for item in there_only), default=at)
    return Problem(
        page.file,
        min(item.line for item in here_only),
        f"the two languages of the page have different {name} under #{anchor}",
        f"the same as in {counterpart.file}:{at}: {_listed(there_only) or NONE_OF_THESE}",
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
    more = [item for item in more if not _answered(item.value, one, other)]
    less = [item for item in less if not _answered(item.value, other, one)]
    if not (more or less):  # 5 instead of 10, where both stand once more
        swapped = _surplus(one.numbers, other.numbers), _surplus(other.numbers, one.numbers)
        here = [item for item in swapped[0] if not _answered(item.value, one, other)]
        there = [item for item in swapped[1] if not _answered(item.value, other, one)]
        more, less = (here, there) if here and there else ([], [])
    return more + _small_numbers(one, other), less + _small_numbers(other, one)


def _small_numbers(one: Contents, other: Contents) -> list[Item]:
    """The small numbers and numbers in words that the other paragraph doesn't have.

    Code and maths have digits; in prose a word may express the same.
    """
    spoken, there = _spoken(one), _spoken(other)
    digits = {item.value for item in other.numbers}
    counted = set(map(id, one.counted))
    found = []
    for item in one.numbers:
        if not _in_digits(item.value) and item.value not in digits:
            strict = id(item) in counted and len(item.value) == 1
            if strict or not _answered(item.value, one, other):
                found.append(item)
    values = there.readings | {float(x) / y for x in digits if x.count(".") < 2 for y in (1, 100)}
    for number in spoken.certain(values) - there.numbers - {0, 1, 2}:
        value = f"{number:.12g}"
        if value not in digits and not _answered(value, one, other):
            found.append(Item(value, one.words[0].line))
    return list(dict.fromkeys(found))


def _answered(number: str, one: Contents, other: Contents) -> bool:
    """Whether the other paragraph may express a number in words, or as a percentage."""
    if number.count(".") > 1:
        return False  # a version
    spoken, value = _spoken(other), float(number)
    known = spoken.numbers | spoken.readings
    if _MINUS.search(_prose(one) + _prose(other)):
        digits = {float(item.value) for item in other.numbers if item.value.count(".") < 2}
        known |= {-there for there in (*known, *digits)}
    return value in known


def _prose(contents: Contents) -> str:
    return "\n".join(words.value for words in contents.words)


@lru_cache(maxsize=4096)
def _spoken(contents: Contents) -> Spoken:
    return numbers_in_words(_prose(contents))


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
