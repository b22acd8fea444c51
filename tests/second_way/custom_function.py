"""The numbers of `snippets/custom_function/`, found without autograd."""

from second_way.tools import Pairs, slope

EXCEPTIONS = {
    ("checked_round", "output 0 with respect to input 0"): "which output and which input",
    ("changed_after", "is at version 1; expected version 0 instead"): "a count of edits in place",
    ("wrong_count", "(expected 2, got 1)"): "counts of arguments and of what was returned",
}


def changed_after() -> Pairs:
    """w^2 at the value that w has after the edit, 2 + 3: the wrong gradient."""
    return [("Attribute w.grad:", slope(lambda w: w**2, 2 + 3))]


def checked_round() -> Pairs:
    """The slope of round at 2.6, and the 1 that backward returns instead."""
    return [("numerical:tensor([[", slope(round_, 2.6)), ("analytical:tensor([[", 1)]


def first() -> Pairs:
    """y = x w^2 at x = 3 and w = 2; the loss is (y - 10)^2."""
    y = 3 * 2**2
    return [
        ("y:", y),
        ("needs_input_grad: (", False),
        (", ", True),
        ("grad_y:", slope(lambda y: (y - 10) ** 2, y)),
        ("w.grad:", slope(lambda w: (3 * w**2 - 10) ** 2, 2)),
        ("x.grad:", None),
    ]


def gradcheck() -> Pairs:
    """5 w^3 at w = 2; without the gradient from the loss side, w^3."""
    return [
        ("right, w.grad:", slope(lambda w: 5 * w**3, 2)),
        ("forgot grad_y, w.grad:", slope(lambda w: w**3, 2)),
        ("right:", True),
        ("forgot grad_y:", False),
    ]


def not_apply() -> Pairs:
    """Passed through, the slope of w; otherwise that of round at 2.6."""
    return [("apply, w.grad:", slope(lambda w: w, 2.6)), ("forward, w.grad:", slope(round_, 2.6))]


def round_(w):
    """To the nearest whole number."""
    return w.round()


def reversal() -> Pairs:
    """(head * feature - 5)^2 at head = 2, feature = 3; for the feature, its sign flipped."""
    return [
        ("head.grad:", slope(lambda head: (head * 3 - 5) ** 2, 2)),
        ("feature.grad:", -slope(lambda feature: (2 * feature - 5) ** 2, 3)),
    ]


def straight_through() -> Pairs:
    """(y - 1)^2 at y = round(2.6) = 3: 0 through the stairs, the slope in y passed through."""
    passed = slope(lambda y: (y - 1) ** 2, 3)
    return [pair for grad in (0, passed, passed) for pair in (("y:", 3), ("w.grad:", grad))]
