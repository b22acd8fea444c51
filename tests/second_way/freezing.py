"""The numbers of `snippets/freezing/`, found without autograd."""

import numpy as np

from second_way.tools import HEADING, Pairs, sgd, slope


def adam(gradients: list[float]) -> float:
    """Adam (Kingma and Ba, 2015): how far its last step goes, lr = 0.1."""
    m = v = 0.0
    for gradient in gradients:
        m, v = 0.9 * m + 0.1 * gradient, 0.999 * v + 0.001 * gradient**2
    steps = len(gradients)
    return -0.1 * m / (1 - 0.9**steps) / (np.sqrt(v / (1 - 0.999**steps)) + 1e-8)


def frozen_but_moves() -> Pairs:
    """A step with gradient 3 from w = 1; then one with 3, one with 0, none; lr = 0.1."""
    decayed = sgd(1, 3, lr=0.1, weight_decay=1)
    by = {
        "SGD": lambda g: -0.1 * g,
        "momentum": lambda g: -0.1 * (0.9 * 3 + g),
        "weight decay": lambda g: sgd(decayed, g, lr=0.1, weight_decay=1) - decayed,
        "Adam": lambda g: adam([3, g]),
    }
    gradient = slope(lambda w: 3 * w, 1)
    pairs: Pairs = []
    for name, move in by.items():
        pairs += [
            (name, HEADING),
            (".grad old: w moves by", move(gradient)),
            (".grad zero: w moves by", move(0.0)),
            (".grad None: w moves by", 0.0),
        ]
    return pairs


def validate_without_eval() -> Pairs:
    """(x - mean) / sqrt(var + 1e-5) at x = 1, the estimates half way to the batch of 7 and 9."""
    batch = np.array([7.0, 9.0])
    mean, var = 0.5 * batch.mean(), 0.5 * 1 + 0.5 * batch.var(ddof=1)

    def prediction(mean, var):
        return round((1 - mean) / np.sqrt(var + 1e-5), 4)

    return [("after, mean:", mean), ("prediction:", prediction(mean, var))]
