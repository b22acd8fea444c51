"""The numbers of `snippets/sharing/`, found without autograd."""

import numpy as np
import torch

from second_way import HEADING, Pairs, slope

COEF = torch.randn(1, 1, 40, 40, generator=torch.Generator().manual_seed(0)).double().numpy()
"""What `torch.manual_seed(0); torch.randn(1, 1, 40, 40)` draws, in float64."""


def loss(coef: np.ndarray, x: np.ndarray) -> float:
    """mean(a + 2b), a and b being the outputs of two calls: both are coef * x."""
    return np.mean(coef * x + 2 * (coef * x))


def input_sees_sum() -> Pairs:
    """d(loss)/dx at x = 1; and its formula."""
    seen = slope(lambda x: loss(COEF, x), np.ones(COEF.shape)).mean()
    return [("hook on x, mean of grad:", seen), ("3 * mean(coef) / 1600:", 3 * COEF.mean() / 1600)]


def max_and_min() -> Pairs:
    """One step with lr = 1: how far max and min move, for input ones and for 0 ... 1599."""
    pairs: Pairs = []
    for heading, x in (
        ("input all ones:", np.ones(COEF.shape)),
        ("input 0, 1, ..., 1599:", np.arange(1600.0).reshape(COEF.shape)),
    ):
        new = COEF - slope(lambda coef, x=x: loss(coef, x), COEF)
        pairs += [
            (heading, HEADING),
            ("  max moved by", COEF.max() - new.max()),
            ("  min moved by", COEF.min() - new.min()),
            ("  max was element", COEF.argmax()),
            (", now", new.argmax()),
            ("  min was element", COEF.argmin()),
            (", now", new.argmin()),
        ]
    return pairs


def one_step_or_two() -> Pairs:
    """(w - 1)^2 and (w - 3)^2 from w = 0 with lr = 0.25: their sum, or one after the other."""
    pairs: Pairs = []
    for rounds in ([(1, 3)], [(1,), (3,)]):
        w = 0.0
        for ends in rounds:
            gradient = slope(lambda w, ends=ends: sum((w - end) ** 2 for end in ends), w)
            w = w - 0.25 * gradient
            pairs += [("  w.grad:", gradient), (" w:", w)]
    return pairs


def two_memories() -> Pairs:
    """(w - 2)^2 and (w - 3)^2 from w = 1: by the formulas of momentum and of Adam."""

    def walk(kind: str, rounds: list) -> float:
        w, m, v = 1.0, 0.0, 0.0
        for step, ends in enumerate(rounds, start=1):
            gradient = sum(2 * (w - end) for end in ends)
            m = 0.9 * m + gradient
            v = 0.999 * v + 0.001 * gradient**2
            mean, size = 0.1 * m / (1 - 0.9**step), np.sqrt(v / (1 - 0.999**step))
            w -= 0.1 * (m if kind == "momentum" else mean / (size + 1e-8))
        return w

    ways = {"once": [(2, 3)], "twice": [(2,), (3,)]}
    kinds = ("momentum", "Adam")
    return [(f"{kind}, {way}:", walk(kind, ways[way])) for kind in kinds for way in ways]
