"""Values of a trace as text: every number as the trace has it, none computed.

A value is `{"s": shape}` with the numbers in `v` (nested lists; with `c`, one number for all), or
counted in `u`, or summed up in `m` (smallest, mean, largest, norm). None is told as `None`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

LINE = 26
"""Characters of a value that fit on one line of a card."""
ROWS = 5
"""Rows of a matrix that a card shows one below the other."""

_ALL = {"zh": "{shape}（全是 {told}）", "en": "{shape} (all {told})"}
_COUNT = {"zh": "{count} 个 {number}", "en": "{count} × {number}"}
_LIST = {"zh": "{shape}（{told}）", "en": "{shape} ({told})"}
_COMMA = {"zh": "，", "en": ", "}
_NORM = {"zh": "{shape}（范数 {told}）", "en": "{shape} (norm {told})"}
_RANGE = {"zh": "{shape}（{least} 到 {most}）", "en": "{shape} ({least} to {most})"}

Value = dict | None


def number(told: float | int | str | bool) -> str:
    """A number as the trace has it, with a real minus sign, which is read aloud as one."""
    if isinstance(told, bool):
        return str(told)
    text = told if isinstance(told, str) else repr(told)
    return text.removesuffix(".0").replace("-", "−")


def value(told: Value, language: str) -> str:
    """A value for a card: one line, or a short matrix row by row."""
    if told is None:
        return "None"
    shape, held = "×".join(map(str, told["s"])), told.get("v")
    if "u" in told:
        return _counted(shape, told["u"], language)
    if "m" in told:
        return _NORM[language].format(shape=shape, told=number(told["m"][3]))
    if held is None:
        return shape
    if told.get("c"):
        text = _nested(_repeat(held, told["s"]))
        if len(told["s"]) <= 2 and len(text) <= LINE:
            return text
        return _ALL[language].format(shape=shape, told=number(held))
    if len(told["s"]) > 2:
        text = _LIST[language].format(shape=shape, told=", ".join(map(number, _flat(held))))
        return text if len(text) <= LINE + 8 else _range(shape, held, language)
    text = _nested(held)
    if len(text) <= LINE:
        return text
    if len(told["s"]) == 2 and 1 < len(held) <= ROWS:
        rows = [_nested(row) for row in held]
        if max(map(len, rows)) <= LINE:
            return "[" + ",\n ".join(rows) + "]"
    if len(text) <= 1.5 * LINE:
        return text
    return _range(shape, held, language)


def values(told: list | None, language: str) -> str:
    """Several values, as the gradients of several inputs: in brackets, unless it is one alone."""
    texts = []
    for one in told or []:
        if isinstance(one, dict) and "s" not in one:  # arguments by their names
            one = list(one.values())
        nested = isinstance(one, list)
        texts.append(values(one, language) if nested else on_one_line(value(one, language)))
    return texts[0] if len(texts) == 1 else f"({', '.join(texts)})"


def on_one_line(text: str) -> str:
    """The rows of a matrix beside one another, for a sentence."""
    return " ".join(line.strip() for line in text.split("\n"))


def without_shape(text: str) -> str:
    """What a value says of its numbers, beside a card that tells the shape."""
    told = re.fullmatch(r"\d+(?:×\d+)+ ?[（(](.+)[）)]", text)
    return told[1] if told else text


def scalar(told: Value) -> float | None:
    """The number of a value that holds one alone, or None."""
    if told is None or "v" not in told or any(size != 1 for size in told["s"]):
        return None
    held = next(_flat(told["v"]))
    return float(held) if isinstance(held, (int, float)) else None


def _counted(shape: str, counts: list, language: str) -> str:
    if len(counts) == 1:
        return _ALL[language].format(shape=shape, told=number(counts[0][0]))
    each = [_COUNT[language].format(count=n, number=number(one)) for one, n in counts]
    return _LIST[language].format(shape=shape, told=_COMMA[language].join(each))


def _range(shape: str, held: list, language: str) -> str:
    numbers = sorted(one for one in _flat(held) if not isinstance(one, str))
    if not numbers or len(numbers) < sum(1 for _ in _flat(held)):
        return shape  # a nan among them is no end of a range
    least, most = number(numbers[0]), number(numbers[-1])
    return _RANGE[language].format(shape=shape, least=least, most=most)


def _nested(held: list | float | int | str) -> str:
    if isinstance(held, list):
        return "[" + ", ".join(_nested(one) for one in held) + "]"
    return number(held)


def _repeat(held, sizes: list[int]):
    return [_repeat(held, sizes[1:]) for _ in range(sizes[0])] if sizes else held


def _flat(held) -> Iterator:
    if isinstance(held, list):
        for one in held:
            yield from _flat(one)
    else:
        yield held
