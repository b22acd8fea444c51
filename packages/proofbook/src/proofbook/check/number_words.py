"""Numbers that a text in English or Chinese has as words: three quarters, 三万五千."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import chain

_SMALL = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    *("eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen"),
    "nineteen",
)
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_SCALES = {"hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9}
_CARDINALS = {word: float(n) for n, word in enumerate(_SMALL)} | _SCALES
_CARDINALS |= {word: 10.0 * n for n, word in enumerate(_TENS, 2)}
_IRREGULAR = {"three": "third", "five": "fifth", "eight": "eighth", "nine": "ninth"}
_IRREGULAR |= {"twelve": "twelfth"} | {ten: f"{ten[:-1]}ieth" for ten in _TENS}
_ORDINALS = {
    _IRREGULAR.get(word, f"{word}th"): number
    for word, number in _CARDINALS.items()
    if word not in ("zero", "one", "two")
}
_ORDINALS |= {"quarter": 4.0, "percent": 100.0}
_OTHERS = {"triple": 3.0, "thrice": 3.0, "quadruple": 4.0}
_OTHERS |= {f"{ten[:-1]}ie": 10.0 * n for n, ten in enumerate(_TENS, 2)}  # the eighties
_VALUES = _CARDINALS | _ORDINALS | _OTHERS
_ENGLISH = re.compile(
    rf"\b({'|'.join(sorted(_VALUES, key=len, reverse=True))})s?\b|(?<=ty-)(first|second)\b",
    re.IGNORECASE,
)
_ZH = {sign: float(number) for number, sign in enumerate("零一二三四五六七八九")} | {"两": 2.0}
_PLACES = {"十": 10.0, "百": 100.0, "千": 1000.0}
_LARGE = {"万": 1e4, "亿": 1e8}
_SIGNS = f"[{''.join([*_ZH, *_PLACES, *_LARGE])}]"
_CHINESE = re.compile(f"{_SIGNS}+")
_NO_NUMBER = re.compile(
    r"十分(?!之)|四舍五入|百分(?!之)|万一|千(?:万(?=[别不要])|兆)|再三|三角|第三方|七[上零]八[下落]"
    r"|成千上万|[三六]边形|[十几上数][十百千万亿]+(?=[次步层个条轮行倍页几])|十几|百科|七七八八|三明治"
    rf"|(?:周|星期)[一二三四五六]|{_SIGNS}+月(?!球)|[二三四五六七八九]十年代"
)
"""Signs that count nothing."""
_PARTS = re.compile(rf"(\d+|{_SIGNS}+)分之(\d+(?:\.\d+)?|{_SIGNS}+)")
_POINT = re.compile(f"({_SIGNS}+)点([{''.join(_ZH)}]+)")
_AND_A_HALF = re.compile(rf"({_SIGNS}+)[倍个]半")
_DECADE = re.compile(r"([二三四五六七八九])十年代")
# Words that may mean a number: they match one in the other language, but require none.
_HINTS = {
    0: r"\bno\b|\bnot\b|\bnone\b|\bnothing\b|\bnever\b|\bwithout\b|没|不|无|空",
    1: r"\bonce\b|\bfirst\b|\bsingle\b|\ban?\b|\bonly\b|\bsame\b|\bunit\b|\beach\b|首|单|每|各|同",
    2: r"\btwice\b|\bsecond\b|\bboth\b|\bhal[fv]\w*|\bpair\b|\bdoubled?s?\b|半|双|平方|\bsquare",
    50: r"\bhalf\b|半",
    0.5: r"\bhal(?:f|ves)\b|半",
    3: r"\bcub(?:e|ic)|\btri(?:o|angle)|立方|三次方|三角",
    10: "order of magnitude|数量级|tenfold|十几|几十|dozens",
    12: r"\bdozen\b|一打",
    16: "half[- ]precision|半精度",
    32: "single[- ]precision|单精度",
    64: "double[- ]precision|双精度",
    30: "half an hour|半个?小时",
    90: "an hour and a half|一个半小时",
    100: "hundreds|上百|几百",
    1000: "thousands|上千|几千|成千",
    10000: "thousands|上万|几万",
}


@dataclass(frozen=True)
class Spoken:
    """What a text says in words. `numbers`: those that it certainly counts; `readings`: what else
    its words may mean, such as 0.75, 75 (percent) for "three quarters". `parts`: these fractions,
    each with the two numbers of which it is made."""

    numbers: frozenset[float]
    readings: frozenset[float]
    parts: tuple[tuple[float, float, float], ...] = ()

    def certain(self, values: Collection[float]) -> frozenset[float]:
        """The numbers, without those of a fraction that is among the `values` as a decimal."""
        known = (numbers for part, *numbers in self.parts if part in values)
        return self.numbers - frozenset(chain.from_iterable(known))


def numbers_in_words(text: str) -> Spoken:
    """The numbers that are written as words in a text in English or Chinese."""
    numbers, readings, parts = set(), set(), []
    before = None
    for value, ordinal, start, end in _english(text):
        near = before is not None and text[before[1] : start] in (" ", "-")
        if text[start:end].lower() == "percent" and not near:
            readings.add(value)  # of a number in digits
            continue
        if ordinal and (near or re.search(r"\ban? $", text[:start])):
            parts.append(_part(before[0] if near else 1.0, value))
        if ordinal and value >= 10:
            parts.append(_part(1.0, value))
        if re.match(r" and a half\b", text[end : end + 11]):
            readings.add(value + 0.5)
        plural = text[end - 1] in "sS" and value >= 100 and not ordinal  # thousands of steps
        (readings if plural else numbers).add(value)
        before = (value, end)
    for found in _PARTS.finditer(text):
        below, above = (float(x) if x[0].isdigit() else sum(_chinese(x)) for x in found.groups())
        parts += [_part(above, below)] if below else []
    for whole, digits in _POINT.findall(text):
        readings.add(float(f"{sum(_chinese(whole)):g}.{''.join(f'{_ZH[x]:g}' for x in digits)}"))
    readings |= {_chinese(found)[-1] + 0.5 for found in _AND_A_HALF.findall(text)}
    readings |= {c + 10 * _ZH[x] for x in _DECADE.findall(text) for c in (0, 1900)}
    readings |= {float(n) for n, words in _HINTS.items() if re.search(words, text, re.IGNORECASE)}
    blank = re.compile(f"{_NO_NUMBER.pattern}|{_POINT.pattern}")
    for found in _CHINESE.finditer(blank.sub(lambda found: " " * len(found[0]), text)):
        numbers.update(_chinese(found[0]))
    readings.update(x for part, *_ in parts for x in (part, float(f"{100 * part:.9g}")))
    return Spoken(frozenset(numbers), frozenset(readings), tuple(parts))


def _part(above: float, below: float) -> tuple[float, float, float]:
    return float(f"{above / below:.9g}"), above, below


def _english(text: str) -> Iterator[tuple[float, bool, int, int]]:
    """The numbers in English words, whether each is an ordinal, and where they start and end."""
    total, part, last, ordinal, start, end = 0.0, 0.0, 0.0, False, -1, -1
    for found in _ENGLISH.finditer(text):
        word, gap = found[0].lower(), text[end : found.start()]
        word = word if word in _VALUES else word.removesuffix("s")
        value = _VALUES.get(word) or (0.0, 1.0, 2.0)[("zero", "first", "second").index(word)]
        scale = value in _SCALES.values() and word != "percent"
        joined = (
            start >= 0
            and not ordinal
            and (
                (
                    gap in (" ", "-")
                    and ((scale and last < value) or (20 <= last <= 90 and value < 10))
                )
                or (gap in (" ", "-", " and ") and last >= 100 and value < last)
            )
        )
        if not joined and start >= 0:
            yield total + part, ordinal, start, end
        if not joined:
            total, part, start = 0.0, 0.0, found.start()
        if scale and value > 100:
            total, part = total + (part or 1) * value, 0.0
        elif scale:
            part = (part or 1) * value
        else:
            part += value
        last, end, ordinal = value, found.end(), word in (*_ORDINALS, "first", "second")
    if start >= 0:
        yield total + part, ordinal, start, end


def _chinese(signs: str) -> list[float]:
    """三万五千 is one number, and so is 一九八六; 三四, "three or four", is two."""
    if not set(signs) & {*_PLACES, *_LARGE}:
        digits = [_ZH[sign] for sign in signs]
        return digits if len(digits) < 4 else [float("".join(f"{x:g}" for x in digits))]
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
