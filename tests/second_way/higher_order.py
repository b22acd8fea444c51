"""The numbers of `snippets/higher_order/`, found without autograd."""

import numpy as np

from second_way.tools import Pairs, mse, slope


def forgot_call() -> Pairs:
    """(w x)^2 at w = (1, 2), x = (1, 1), as a constant and as a function of w."""
    return [
        ("forgot: loss", (1 + 2) ** 2),
        ("gradient:", slope(lambda w: 0.0 * w[0] + 9, [1, 2])),
        ("right: loss", (1 + 2) ** 2),
        ("gradient:", slope(lambda w: (w[0] + w[1]) ** 2, [1, 2])),
    ]


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


def vmap_accepts() -> Pairs:
    """x max(x), x, and x or -x by the sign of its sum, row by row."""
    x = np.array([[1.0, 2], [-3, 1]])
    return [
        ("stays_tensor:", np.stack([row * row.max() for row in x])),
        ("in_place:", x),
        ("branch:", np.stack([row if row.sum() > 0 else -row for row in x])),
    ]


EXCEPTIONS = {
    ("vmap_refuses", "output with shape [2] doesn't match the broadcast shape [2, 2]"): "shapes",
}
