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


def ride(w, b):
    """The squared miss of 2 w + b, the guess for a ride that costs 11."""
    return (2 * w + b - 11) ** 2


W_SLOPE = slope(lambda w: ride(w, 2), 3)
B_SLOPE = slope(lambda b: ride(3, b), 2)


def nudge_each() -> Pairs:
    """(2w + b - 11)^2 at (3, 2): a nudge h makes the miss -3 + 2h or -3 + h."""
    h = 0.01
    return [
        ("loss:", 9),
        ("w + 0.01, change / 0.01:", -12 + 4 * h),
        ("b + 0.01, change / 0.01:", -6 + h),
    ]


def two_slopes() -> Pairs:
    """(2w + b - 11)^2 at (3, 2)."""
    return [("loss:", ride(3, 2)), ("w.grad:", W_SLOPE), ("b.grad:", B_SLOPE)]


def as_a_list() -> Pairs:
    """The same, of both numbers in one list."""
    seen = slope(lambda both: ride(*both), [3, 2])
    return [("guess:", 2 * 3 + 2), ("loss:", ride(3, 2)), ("numbers.grad:", seen)]


def downhill_arrow() -> Pairs:
    """(2w + b - 11)^2 at (3, 2)."""
    return two_slopes()


def small_move() -> Pairs:
    """0.12 and 0.06 up or down: the miss is -3 + 0.3 or -3 - 0.3."""
    return [
        ("here:", 9),
        ("against the gradient:", (-3 + 0.3) ** 2),
        ("along the gradient:", (-3 - 0.3) ** 2),
    ]


def two_km(w):
    """The squared miss of 2 w, the guess for two kilometers that cost 9."""
    return (2 * w - 9) ** 2


def follow_the_nudge() -> Pairs:
    """A nudge h of w = 3 moves the price and the miss by 2h, the loss by (-3 + 2h)^2 - 9."""
    h = 0.01
    return [
        ("change of w:", h),
        ("change of price:", 2 * h),
        ("change of miss:", 2 * h),
        ("change of loss:", -12 * h + 4 * h**2),
    ]


def three_nodes() -> Pairs:
    """(2w - 9)^2 at w = 3."""
    return [("loss:", two_km(3)), ("w.grad:", slope(two_km, 3))]


def by_hand() -> Pairs:
    """The loss by the miss at -3, by the price at 6, by w at 3."""
    return [
        ("miss:", 2 * 3 - 9),
        ("loss:", two_km(3)),
        ("slope at miss:", slope(lambda miss: miss**2, -3)),
        ("slope at price:", slope(lambda price: (price - 9) ** 2, 6)),
        ("slope at w:", slope(two_km, 3)),
    ]


def used_twice() -> Pairs:
    """(w - 7)^2 + (2w - 9)^2 at w = 3."""

    def both(w):
        return (w - 7) ** 2 + two_km(w)

    return [
        ("short:", (3 - 7) ** 2),
        ("long:", two_km(3)),
        ("loss:", both(3)),
        ("w.grad:", slope(both, 3)),
    ]
