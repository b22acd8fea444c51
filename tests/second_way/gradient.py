"""The numbers of `snippets/gradient/`, found without autograd."""

from second_way.tools import Pairs, slope


def price(w):
    """The squared miss of a guess w of the price 5."""
    return (w - 5) ** 2


def nudge() -> Pairs:
    """(w - 5)^2 at w = 2 and 2.01: 9 - 6 h + h^2 with h = 0.01."""
    h = 0.01
    return [
        ("loss at w:", 9),
        ("loss at w + 0.01:", 9 - 6 * h + h**2),
        ("change of the loss:", -6 * h + h**2),
        ("change / 0.01:", -6 + h),
    ]


def smaller_nudges() -> Pairs:
    """The change of (w - 5)^2 from w = 2 to 2 + h, divided by h, is -6 + h."""
    pairs: Pairs = []
    for h in (1, 0.1, 0.01, 0.001):
        pairs += [("nudge", h), (": slope", -6 + h)]
    return pairs


def ask_backward() -> Pairs:
    """(w - 5)^2 at w = 2."""
    return [("loss:", price(2)), ("w.grad:", slope(price, 2))]


def tangent() -> Pairs:
    """(w - 5)^2 at w = 2."""
    return [("loss:", price(2)), ("slope:", slope(price, 2))]
