"""Values of a trace as text: every number as the trace has it, none computed.

A value is a `gradtrace.trace.Value`: the shape in `s`; the numbers in `v` (with `c` one number for
all), or counted in `u`, or summed up in `m`. None stands for no value.
"""

from __future__ import annotations

import re

from gradtrace.narrate.languages import LANGUAGES
from gradtrace.trace import Number, Value
from gradtrace.values import flat

LINE_LENGTH = 26
"""Characters of a value that fit on one line of a box."""
LONGEST_VECTOR = LINE_LENGTH // 2
"""Numbers, each with a comma and a blank, of which a line or one half as long again has room."""
LONGEST_IN_SENTENCE = 44
"""Characters of a value within a sentence."""
MAX_ROWS = 5
"""Rows of a matrix that a box shows one below the other."""


def format_number(number: Number | bool) -> str:
    """A number as the trace has it, with a real minus sign, which is read aloud as one."""
    if isinstance(number, bool):
        return str(number)
    text = number if isinstance(number, str) else repr(number)
    return text.removesuffix(".0").replace("-", "−")


def format_value(value: Value | None, language: str) -> str:
    """A value for a box: one line, or a short matrix row by row."""
    if value is None:
        return "None"
    phrases = LANGUAGES[language]
    shape, numbers = "×".join(map(str, value["s"])), value.get("v")
    if "u" in value:
        return _counted(shape, value["u"], language)
    if "m" in value:
        return phrases["value_norm"].format(shape=shape, number=format_number(value["m"][3]))
    if numbers is None:
        return shape
    if value.get("c"):
        text = _nested(_repeated(numbers, value["s"]))
        if len(value["s"]) <= 2 and len(text) <= LINE_LENGTH:
            return text
        return phrases["value_all"].format(shape=shape, number=format_number(numbers))
    if len(value["s"]) > 2:
        listed = ", ".join(map(format_number, flat(numbers)))
        text = phrases["value_list"].format(shape=shape, numbers=listed)
        return text if len(text) <= LINE_LENGTH + 8 else _range(shape, numbers, language)
    if len(value["s"]) == 1 and len(numbers) > LONGEST_VECTOR:
        return _range(shape, numbers, language)
    text = _nested(numbers)
    if len(text) <= LINE_LENGTH:
        return text
    if len(value["s"]) == 2 and 1 < len(numbers) <= MAX_ROWS:
        rows = [_nested(row) for row in numbers]
        if max(map(len, rows)) <= LINE_LENGTH:
            return "[" + ",\n ".join(rows) + "]"
    if len(text) <= 1.5 * LINE_LENGTH:
        return text
    return _range(shape, numbers, language)


def format_values(values: list | None, language: str) -> str:
    """Several values, as the gradients of several inputs: in brackets, unless it is a single one.

    Lists may be nested, and a dict holds values by the names of arguments.
    """
    texts = []
    for item in values or []:
        if isinstance(item, dict) and "s" not in item:
            item = list(item.values())
        if isinstance(item, list):
            texts.append(format_values(item, language))
        else:
            texts.append(format_in_sentence(item, language))
    return texts[0] if len(texts) == 1 else f"({', '.join(texts)})"


def format_in_sentence(value: Value | None, language: str) -> str:
    """A value for a sentence: of a matrix that would take too much of it, only the range."""
    text = on_one_line(format_value(value, language))
    if value and len(text) > LONGEST_IN_SENTENCE and isinstance(value.get("v"), list):
        return _range("×".join(map(str, value["s"])), value["v"], language)
    return text


def on_one_line(text: str) -> str:
    """The rows of a matrix beside one another, for a sentence."""
    return " ".join(line.strip() for line in text.split("\n"))


def without_shape(text: str) -> str:
    """What a formatted value says of its numbers, beside a box that shows the shape."""
    match = re.fullmatch(r"\d+(?:×\d+)+ ?[（(](.+)[）)]", text)
    return match[1] if match else text


def _counted(shape: str, counts: list, language: str) -> str:
    phrases = LANGUAGES[language]
    if len(counts) == 1:
        return phrases["value_all"].format(shape=shape, number=format_number(counts[0][0]))
    texts = [
        phrases["value_count"].format(count=count, number=format_number(number))
        for number, count in counts
    ]
    return phrases["value_list"].format(shape=shape, numbers=phrases["value_comma"].join(texts))


def _range(shape: str, nested: list, language: str) -> str:
    numbers = list(flat(nested))
    if not numbers or any(isinstance(number, str) for number in numbers):
        return shape  # a nan among them is no end of a range
    least, most = format_number(min(numbers)), format_number(max(numbers))
    return LANGUAGES[language]["value_range"].format(shape=shape, least=least, most=most)


def _nested(numbers: list | Number) -> str:
    if isinstance(numbers, list):
        return "[" + ", ".join(_nested(part) for part in numbers) + "]"
    return format_number(numbers)


def _repeated(number: Number, sizes: list[int]) -> list | Number:
    return [_repeated(number, sizes[1:]) for _ in range(sizes[0])] if sizes else number
