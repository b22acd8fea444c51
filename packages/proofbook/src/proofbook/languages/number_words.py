"""Numbers written as words: "thirty thousand nodes", 三万个节点."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

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


@dataclass(frozen=True)
class NumberWord:
    """A number written as a word, and the position of the word."""

    number: float
    place: int


def numbers_in_words(text: str) -> Iterator[NumberWord]:
    """The numbers that are written as words in a text in English or Chinese."""
    for found in _ENGLISH.finditer(text):
        one = _EN[found["one"].lower()] if found["one"] else 1.0
        times = found["times"] or found["only"]
        yield NumberWord(one * (_TIMES[times.lower()] if times else 1), found.start())
    text = _NO_NUMBER.sub(lambda found: " " * len(found[0]), text)
    for found in _CHINESE.finditer(text):
        for number in _chinese(found[0]):
            yield NumberWord(number, found.start())


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
