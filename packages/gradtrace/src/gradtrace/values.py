"""Facts about the recorded `Value` of a tensor: its size, its norm, whether all of it is finite."""

from __future__ import annotations

import math
from collections.abc import Iterator

from gradtrace.trace import Number, Value


def count(value: Value) -> int:
    """The number of elements."""
    return math.prod(value["s"])


def norm(value: Value | None) -> float | None:
    """The Euclidean norm; None where the numbers were not recorded."""
    if value is None:
        return None
    if "m" in value:
        return _size(value["m"][3])
    if "u" in value:
        return math.hypot(*(_size(number) * math.sqrt(times) for number, times in value["u"]))
    if value.get("c"):
        return _size(value["v"]) * math.sqrt(count(value))
    return math.hypot(*map(_size, flat(value["v"]))) if "v" in value else None


def rms(value: Value | None) -> float | None:
    """The root of the mean square; None where there are no numbers."""
    size = norm(value)
    return None if size is None or not count(value) else size / math.sqrt(count(value))


def is_zero(value: Value | None) -> bool:
    """Whether every number is zero, and there is at least one."""
    return value is not None and count(value) > 0 and norm(value) == 0


def oddity(value: Value | None) -> str | None:
    """ "nan" or "inf", if the tensor holds one; infinity with either sign is "inf"."""
    if value is None:
        return None
    if "u" in value:
        numbers = [number for number, _ in value["u"]]
    else:
        numbers = list(flat(value.get("m", value.get("v", []))))
    found = {str(number) for number in numbers if isinstance(number, str)}
    if any("nan" in text for text in found):
        return "nan"
    return "inf" if any("inf" in text for text in found) else None


def least_and_greatest(value: Value | None) -> tuple[float, float] | None:
    """The bounds of the numbers; None where they were not recorded, or have no order."""
    if value is None or not count(value):
        return None
    if "m" in value:
        numbers = [value["m"][0], value["m"][2]]
    elif "u" in value:
        numbers = [number for number, _ in value["u"]]
    else:
        numbers = list(flat(value.get("v", [])))
    if not numbers or any(isinstance(number, str) and "j" in number for number in numbers):
        return None
    return min(map(float, numbers)), max(map(float, numbers))


def scalar(value: Value | None) -> float | None:
    """The number of a value with a single element, if it is a finite real one; else None."""
    if value is None or "v" not in value or any(size != 1 for size in value["s"]):
        return None
    number = next(flat(value["v"]))
    return float(number) if isinstance(number, (int, float)) else None


def flat(nested: list | Number) -> Iterator[Number]:
    """The numbers in nested lists."""
    if isinstance(nested, list):
        for part in nested:
            yield from flat(part)
    else:
        yield nested


def _size(number: Number) -> float:
    """The absolute value of a number."""
    return abs(complex(number)) if isinstance(number, str) else abs(float(number))
