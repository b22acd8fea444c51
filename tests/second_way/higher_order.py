"""The numbers of `snippets/higher_order/`, found without autograd."""

import numpy as np

from second_way.tools import HEADING, Pairs, mse, slope


def per_sample() -> Pairs:
    """(w x - target)^2 at w = (1, 2), for each sample, and the mean over all."""
    x = np.array([[1.0, 0], [0, 1], [1, 1], [2, -1]])
    target = np.array([0.0, 1, 2, 1])
    each = [slope(lambda w, i=i: (x[i] @ w - target[i]) ** 2, [1, 2]) for i in range(4)]
    pairs: Pairs = [("whole batch, .grad:", slope(lambda w: mse(x @ w, target), [1, 2]))]
    for i, gradient in enumerate(each):
        pairs += [("  sample", i), ("gradient:", gradient)]
    return [
        *pairs,
        ("  forward calls:", len(x)),
        ("vmap(grad), shape: (", len(x)),
        (", ", 1),
        (", ", 2),
        (")", np.stack(each)),
        ("  forward calls:", 1),
    ]


def penalty(activation_slope, w, x, b, v):
    """(the slope of v f(w x + b) at x, minus 1) squared."""
    return (v * w * activation_slope(w * x + b) - 1) ** 2


def relu_penalty() -> Pairs:
    """v w where w x + b is positive, at w = 2, x = 1, b = 1, v = 3."""

    def step(z):
        return 1.0 * (z > 0)

    at = {"w": 2.0, "x": 1.0, "b": 1.0, "v": 3.0}
    gradients = [
        (
            f"{name}.grad:",
            slope(lambda value, name=name: penalty(step, **at | {name: value}), at[name]),
        )
        for name in ("w", "v", "b", "x")
    ]
    return [
        ("g:", slope(lambda x: 3 * max(2 * x + 1, 0), 1)),
        ("penalty:", penalty(step, **at)),
        *gradients,
    ]


def softplus_penalty() -> Pairs:
    """The slope of relu is a step; that of softplus is 1 / (1 + exp(-z))."""
    pairs: Pairs = []
    for name, f in (
        ("relu", lambda z: 1.0 * (z > 0)),
        ("softplus", lambda z: 1 / (1 + np.exp(-z))),
    ):
        pairs += [
            (f"{name}:", HEADING),
            ("  g:", 2 * 3 * f(3 * 1 - 2)),
            ("  gradient of the penalty at b:", slope(lambda b, f=f: penalty(f, 3, 1, b, 2), -2)),
        ]
    return pairs


def twice_today() -> Pairs:
    """Log of a probability, at two equal scores, and the sum of (3 x)^2 at 0, moved a little."""

    def log_softmax(x):
        return x[0] - np.log(np.sum(np.exp(x)))

    def convolution(x):
        return np.sum((3 * x) ** 2)

    pairs: Pairs = []
    for f in (log_softmax, convolution):
        first = slope(f, [0.0, 0])
        second = slope(lambda x, f=f: slope(f, x, 1e-4), [0.0, 0], 1e-4)[0]
        pairs += [(f"{f.__name__}: first", first), ("  second:", second)]
    return pairs
