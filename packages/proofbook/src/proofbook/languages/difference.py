"""What only one of two paragraphs, or sections, in different languages has."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from proofbook.languages.contents import Contents, Item
from proofbook.languages.number_words import hinted_numbers, numbers_in_words

OnlyInOne = tuple[list[Item], list[Item]]
"""What only the first has, and what only the second has."""

_VALUE = re.compile(r"[-−\d.e+,\[\]() ]+")
_PLAIN_NAME = re.compile(r"[A-Za-z_.]+(?:\(\))?")


def differing_items(kind: str, one: Contents, other: Contents) -> OnlyInOne:
    """What only the one section has, and what only the other has."""
    ours, theirs = getattr(one, kind), getattr(other, kind)
    if kind in ("equations", "boxes"):
        for here, there in side_by_side(ours, theirs):
            if here is None or there is None or here.value != there.value:
                return [here] if here else [], [there] if there else []
        return [], []
    return _surplus(ours, theirs), _surplus(theirs, ours)


def differing_formulas(one: Contents, other: Contents) -> OnlyInOne:
    """The inline formulas that only one of the paragraphs has."""
    ours, theirs = one.formulas, other.formulas
    return _not_among(ours, theirs), _not_among(theirs, ours)


def differing_code(one: Contents, other: Contents, known: Sequence[str]) -> OnlyInOne:
    """The code that only one of the paragraphs has.

    A language may need a name where the other has a pronoun or a verb; then the name is in what
    is `known` of the other page: the code in its text, and what its snippets say and print.
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


def differing_numbers(one: Contents, other: Contents) -> OnlyInOne:
    """The numbers that only one of the paragraphs has.

    To say a number once more is style; to say one once more and another once less is a slip.
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


def reordered_numbers(one: Contents, other: Contents) -> OnlyInOne:
    """All numbers of both paragraphs, if they are not the same in the same order."""
    ours, theirs = one.numbers, other.numbers
    if [item.value for item in ours] == [item.value for item in theirs]:
        return [], []
    return list(ours), list(theirs)


def _small_numbers(one: Contents, other: Contents) -> list[Item]:
    """The small numbers and those in words that the other paragraph doesn't have.

    Code and maths have digits; in prose a word may say the same.
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
    """The numbers that the prose has as words."""
    return {f"{n.number:.12g}" for words in contents.words for n in numbers_in_words(words.value)}


def _hinted(number: str, contents: Contents) -> bool:
    return any(float(number) in hinted_numbers(words.value) for words in contents.words)


def _in_digits(number: str) -> bool:
    """Whether a number is written in digits in either language: not so 3, 10, 100 or 10000."""
    return not re.fullmatch(r"\d|10+", number)


def _surplus(some: Iterable[Item], others: Iterable[Item]) -> list[Item]:
    """The items of which there are more than among the others, as many as there are more."""
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


def side_by_side(ours: Sequence[Item], theirs: Sequence[Item]) -> Iterator[tuple]:
    """The items of two sequences in pairs, None where one of them is shorter."""
    for i in range(max(len(ours), len(theirs))):
        yield ours[i] if i < len(ours) else None, theirs[i] if i < len(theirs) else None
