"""The numbers of `snippets/custom_function/`, found without autograd."""

from second_way.tools import Pairs, slope

EXCEPTIONS = {
    ("changed_after", "is at version 1; expected version 0 instead"): "a count of edits in place",
    ("wrong_count", "(expected 2, got 1)"): "counts of arguments and of what was returned",
}


def changed_after() -> Pairs:
    """w^2 at the value that w has after the edit, 2 + 3: the wrong gradient."""
    return [("Attribute w.grad:", slope(lambda w: w**2, 2 + 3))]


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
