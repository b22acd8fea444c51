"""The numbers of `snippets/tensor_hooks/`, found without autograd."""

import numpy as np

from second_way.tools import HEADING, Pairs, sgd, slope


def product(a=2.0, b=3.0, d=4.0):
    """e = a b + d."""
    return a * b + d


AT_A, AT_B = slope(lambda a: product(a=a), 2), slope(lambda b: product(b=b), 3)
AT_D = slope(lambda d: product(d=d), 4)


def before_relu() -> Pairs:
    """u = 3x, z = max(u, 0), sum(5z) at x = (1, -2): by z, then by u."""
    u = np.array([3, -6])
    return [
        ("registered after relu:", slope(lambda z: np.sum(5 * z), np.maximum(u, 0))),
        ("registered before relu:", slope(lambda u: np.sum(5 * np.maximum(u, 0)), u)),
    ]


def mask_one_weight() -> Pairs:
    """sum(k^2), the last element masked, lr 0.25, momentum 0.5: in the first step k - lr * 2k."""
    kernel, mask = np.array([[1.0, 2], [3, 4]]), np.array([[1.0, 1], [1, 0]])
    pairs: Pairs = []
    for step in range(2):
        gradient = slope(lambda k: np.sum(k**2), kernel) * mask
        pairs += [("step", step), (", kernel.grad:", gradient)]
        pairs += [("step", step), (", last element:", 4.0)]
        kernel = sgd(kernel, gradient, lr=0.25)
    return pairs


def mask_too_late() -> Pairs:
    """One step with gradient 3, then one with 0, lr 0.1, w = 4 at first.

    Momentum: lr * 0.9 * 3. Weight decay: lr * 0.5 * w, w after the first step. Adam (Kingma and
    Ba, 2015): lr * m / (1 - 0.9^2) / (sqrt(v / (1 - 0.999^2)) + 1e-8), m = 0.9 * 0.1 * 3 and
    v = 0.999 * 0.001 * 9.
    """
    m, v = 0.9 * 0.1 * 3, 0.999 * 0.001 * 9
    adam = 0.1 * m / (1 - 0.9**2) / (np.sqrt(v / (1 - 0.999**2)) + 1e-8)
    after_one = sgd(4, 3, lr=0.1, weight_decay=0.5)
    moved = (
        ("SGD", 0),
        ("momentum", -0.1 * 0.9 * 3),
        ("weight decay", -0.1 * 0.5 * after_one),
        ("Adam", -adam),
    )
    return [
        pair for name, by in moved for pair in ((name, HEADING), (", masked w[1] moves by", by))
    ]


def who_is_hit() -> Pairs:
    """In place on d: all; on c: all but d, whose gradient has been added before."""
    pairs: Pairs = []
    for hooked, at_d in (("d", 100 * AT_D), ("c", AT_D)):
        pairs += [
            (f"hook on {hooked}, a.grad:", 100 * AT_A),
            (f"hook on {hooked}, b.grad:", 100 * AT_B),
            (f"hook on {hooked}, d.grad:", at_d),
            (f"hook on {hooked}, start:", 100 * slope(lambda e: e, 10)),
        ]
    return pairs
