"""What a node sends back, as the product that it is: "12 × 2 = 24"."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from gradtrace.narrate.languages import LANGUAGES
from gradtrace.narrate.value_format import format_number, format_value, on_one_line
from gradtrace.trace import LocalDerivative, Number, Value
from gradtrace.values import flat

LONGEST_PRODUCT = 64
"""Characters of a product that is written out; of a longer one only the result and the factor."""
LONGEST_LABEL = 17
"""Characters of a factor beside an edge."""
_SIGNS = {"times": "×", "dot": "·", "placed": "×", "right": "@", "left": "@"}


def edge_label(local: LocalDerivative, language: str) -> str:
    """What stands beside the edge: the sign and the factor, or the size of one that is long."""
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
    """What a node received, by what it multiplied it, and what it sent."""
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
    """A factor; a negative number in brackets, as a sign stands before it."""
    text = on_one_line(format_value(value, language))
    return f"({text})" if text.startswith("−") else text


def _is_listed(text: str) -> bool:
    """Whether the text of a value gives every number, and no summary after its shape."""
    return not re.match(r"\d+(×\d+)*( ?[（(]|$)", text) or text.isdigit()


def _equals(received: Value, local: LocalDerivative, sent: Value) -> str:
    """The sign between a product and its result: whether it holds for the numbers as shown, which
    are rounded."""
    numbers = [_numbers(value) for value in (received, local["by"], sent)]
    if None in numbers:
        return "="
    product = _product(numbers[0], numbers[1], local["how"], local["by"]["s"])
    pairs = zip(product, numbers[2], strict=True)
    return "=" if all(math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-12) for a, b in pairs) else "≈"


def _numbers(value: Value) -> list[float] | None:
    """All numbers, one after the other; None where not all are finite and real."""
    numbers: list[Number] = list(flat(value["v"]))
    if value.get("c"):
        numbers *= math.prod(value["s"])
    return None if any(isinstance(x, str) for x in numbers) else [float(x) for x in numbers]


def _product(
    gradient: Sequence[float], factor: Sequence[float], how: str, shape: Sequence[int]
) -> list[float]:
    """The product, from the numbers as they are shown."""
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
