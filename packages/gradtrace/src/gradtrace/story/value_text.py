"""Values of a trace as text: every number as in the trace, none computed.

A value is a `gradtrace.trace.Value`: the shape in `s`; the numbers in `v` (with `c` one number for
all), or counted in `u`, or summed up in `m`. None stands for no value.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from gradtrace.trace import LocalDerivative, Number, Value
from gradtrace.values import flat
from gradtrace.words import LANGUAGES

LINE_LENGTH = 26
"""The maximum number of characters of a value on one line of a box."""
LONGEST_VECTOR = LINE_LENGTH // 2
"""The most elements, with commas and blanks, on a line, or one half as long again."""
LONGEST_IN_SENTENCE = 44
"""The maximum number of characters of a value within a sentence."""
MAX_ROWS = 5
"""The maximum number of rows of a matrix that a box shows one below the other."""


def format_number(number: Number | bool) -> str:
    """A number as in the trace, with a real minus sign, which screen readers read as one."""
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
    """Several values, such as the gradients of several inputs: in brackets, unless there is only
    one.

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
    """A value for a sentence: of a matrix that would be too long, only the range."""
    text = on_one_line(format_value(value, language))
    if value and len(text) > LONGEST_IN_SENTENCE and isinstance(value.get("v"), list):
        return _range("×".join(map(str, value["s"])), value["v"], language)
    return text


def on_one_line(text: str) -> str:
    """The rows of a matrix next to one another, for a sentence."""
    return " ".join(line.strip() for line in text.split("\n"))


def without_shape(text: str) -> str:
    """The numbers of a formatted value, next to a box that shows the shape."""
    match = re.fullmatch(r"\d+(?:×\d+)+ ?[（(](.+)[）)]", text)
    return match[1] if match else text


def _counted(shape: str, counts: list, language: str) -> str:
    phrases = LANGUAGES[language]
    if len(counts) == 1:
        return phrases["value_all"].format(shape=shape, number=format_number(counts[0][0]))
    count_of = phrases["value_count"].format
    texts = [count_of(count=count, number=format_number(number)) for number, count in counts]
    return phrases["value_list"].format(shape=shape, numbers=phrases["value_comma"].join(texts))


def _range(shape: str, nested: list, language: str) -> str:
    numbers = list(flat(nested))
    if not numbers or any(isinstance(number, str) for number in numbers):
        return shape  # nan cannot be a bound of a range
    least, most = format_number(min(numbers)), format_number(max(numbers))
    return LANGUAGES[language]["value_range"].format(shape=shape, least=least, most=most)


def _nested(numbers: list | Number) -> str:
    if isinstance(numbers, list):
        return "[" + ", ".join(_nested(part) for part in numbers) + "]"
    return format_number(numbers)


def _repeated(number: Number, sizes: list[int]) -> list | Number:
    return [_repeated(number, sizes[1:]) for _ in range(sizes[0])] if sizes else number


LONGEST_PRODUCT = 64
"""The maximum number of characters of a product that is written out; of a longer one only the
result and the factor are shown."""
LONGEST_LABEL = 17
"""The maximum number of characters of a factor next to an edge."""
_SIGNS = {"times": "×", "dot": "·", "placed": "×", "right": "@", "left": "@"}


def edge_label(local: LocalDerivative, language: str) -> str:
    """The label of an edge: the sign and the factor, or the size of a long one."""
    how, factor = local["how"], local["by"]
    text = _factor(factor, language)
    fits = _is_listed(text) and len(text) <= LONGEST_LABEL
    sign = _SIGNS.get(how, "J")
    if how in ("times", "dot", "placed"):
        return sign + (text if fits else "[…]")
    if how == "matrix" or not fits:
        text = "×".join(map(str, factor["s"]))
    return f"{text} {sign}" if how == "left" else f"{sign} {text}"


def format_product(received: Value, local: LocalDerivative, sent: Value, language: str) -> str:
    """The received gradient, its factor, and the sent gradient of a node."""
    how, phrases = local["how"], LANGUAGES[language]
    factor = _factor(local["by"], language)
    result = on_one_line(format_value(sent, language))
    if how == "matrix":
        size = "×".join(map(str, local["by"]["s"]))
        return phrases["by_matrix"].format(result=result, size=size)
    if how == "placed" or (how == "times" and "c" in local["by"] and not _is_listed(factor)):
        number = format_number(local["by"]["v"])
        return phrases["by_placed"].format(result=result, factor=number)
    gradient, sign = on_one_line(format_value(received, language)), f" {_SIGNS[how]} "
    text = sign.join((factor, gradient) if how == "left" else (gradient, factor))
    if all(map(_is_listed, (gradient, factor, result))) and len(text + result) <= LONGEST_PRODUCT:
        return f"{text} {_equals(received, local, sent)} {result}"
    word = phrases["gradient"]
    text = sign.join((factor, word) if how == "left" else (word, factor))
    return phrases["by_factor"].format(result=result, product=text)


def _factor(value: Value, language: str) -> str:
    """A factor; a negative number is in brackets, as it follows a sign."""
    text = on_one_line(format_value(value, language))
    return f"({text})" if text.startswith("−") else text


def _is_listed(text: str) -> bool:
    """Whether the text of a value lists every number, not a summary after its shape."""
    return not re.match(r"\d+(×\d+)*( ?[（(]|$)", text) or text.isdigit()


def _equals(received: Value, local: LocalDerivative, sent: Value) -> str:
    """The sign between a product and its result: equal or approximately equal, as the shown numbers
    are rounded."""
    numbers = [_numbers(value) for value in (received, local["by"], sent)]
    if None in numbers:
        return "="
    product = _product(numbers[0], numbers[1], local["how"], local["by"]["s"])
    pairs = zip(product, numbers[2], strict=True)
    return "=" if all(math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-12) for a, b in pairs) else "≈"


def _numbers(value: Value) -> list[float] | None:
    """All numbers, one after the other; None unless all are finite and real."""
    numbers: list[Number] = list(flat(value["v"]))
    if value.get("c"):
        numbers *= math.prod(value["s"])
    return None if any(isinstance(x, str) for x in numbers) else [float(x) for x in numbers]


def _product(
    gradient: Sequence[float], factor: Sequence[float], how: str, shape: Sequence[int]
) -> list[float]:
    """The product, computed from the numbers as shown."""
    if how == "dot":
        return [sum(g * x for g, x in zip(gradient, factor, strict=True))]
    if how == "times":
        count = max(len(gradient), len(factor))
        wide = ([*each] * (count // len(each)) for each in (gradient, factor))
        return [g * x for g, x in zip(*wide, strict=True)]
    if how == "right":
        high, wide = shape
        rows = [gradient[i : i + high] for i in range(0, len(gradient), high)]
        columns = [factor[j::wide] for j in range(wide)]
    else:
        high = shape[-1]
        rows = [factor[i : i + high] for i in range(0, len(factor), high)]
        columns = [gradient[j :: len(gradient) // high] for j in range(len(gradient) // high)]
    return [sum(a * b for a, b in zip(r, c, strict=True)) for r in rows for c in columns]
