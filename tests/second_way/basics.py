"""The numbers of `snippets/basics/`, found without autograd."""

import numpy as np

from second_way.tools import HEADING, Pairs, slope


def squares(w):
    """The sum of w^2."""
    return np.sum(w**2)


def of_clone(w):
    """The sum of squares of w, the first one replaced by 5."""
    return squares(np.array([5, *w[1:]]))


def edit_a_clone() -> Pairs:
    """of_clone at (1, 2, 3)."""
    w = np.array([1, 2, 3])
    return [("loss:", of_clone(w)), ("w.grad:", slope(of_clone, w))]


def hessian() -> Pairs:
    """w0^2 w1 + w1^3 at (1, 2): the slopes of its gradient (2 w0 w1, w0^2 + 3 w1^2)."""

    def first(w):
        return np.array([2 * w[0] * w[1], w[0] ** 2 + 3 * w[1] ** 2])

    rows = slope(first, [1, 2])
    return [("gradient:", slope(lambda w: w[0] ** 2 * w[1] + w[1] ** 3, [1, 2])), (":", rows[0])]


def gradient_penalty() -> Pairs:
    """w x + (g - 1)^2 at w = 3, x = 5, where g = w; or g = 3 whatever w is."""
    pairs: Pairs = []
    for name, g in (("create_graph=False", lambda w: 3), ("create_graph=True", lambda w: w)):
        seen = slope(lambda w, g=g: w * 5 + (g(w) - 1) ** 2, 3)
        pairs += [(name, HEADING), ("  penalty:", (g(3) - 1) ** 2), (" w.grad:", seen)]
    return pairs


def root_times(sent, x):
    """The chain rule at a root: what is sent back, times 1 / (2 sqrt(x))."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return sent * (1 / (2 * np.sqrt(x)))


def where_nan() -> Pairs:
    """(0, sqrt(4)): 0 and 1 are sent back to sqrt at (0, 4), or at the cleaned (1, 4)."""
    sent = np.array([0.0, 1.0])
    return [("x.grad:", root_times(sent, np.array([0.0, 4.0])))]


def norm_at_zero() -> Pairs:
    """At (0, 0): 0 by definition; 2x times the infinite slope of the root; differences."""
    zero = np.zeros(2)
    return [("(x**2).sum().sqrt()", HEADING), (", x.grad:", root_times(2 * zero, np.sum(zero**2)))]


def where_or_mask() -> Pairs:
    """sqrt(-1) chosen or multiplied away; 0 and 1 are sent back to the root at (-1, 4)."""
    x, sent = np.array([-1.0, 4.0]), np.array([0.0, 1.0])
    seen = root_times(sent, x)
    with np.errstate(invalid="ignore"):
        root = np.sqrt(x)
    return [("where, x.grad:", seen), ("mask, y:", (x > 0) * root), ("mask, x.grad:", seen)]
