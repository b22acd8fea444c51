"""The numbers of `snippets/updates/`, found without autograd.

Gradients are finite differences. The optimizers are written as sums over all gradients so far, not
step by step as PyTorch does it.
"""

import numpy as np

from second_way import Pairs


def fading(gradients: list, by: float) -> np.ndarray:
    """The last gradient, plus `by` times the one before, plus by^2 times the third last, ..."""
    return sum(by**age * np.asarray(g, float) for age, g in enumerate(reversed(gradients)))


def buffer(gradients: list) -> np.ndarray:
    """SGD's momentum buffer."""
    return fading(gradients, 0.9)


def adam_direction(gradients: list) -> np.ndarray:
    """m / (1 - 0.9^t) over sqrt(v / (1 - 0.999^t)) + eps, m and v being fading sums."""
    t = len(gradients)
    m = 0.1 * fading(gradients, 0.9) / (1 - 0.9**t)
    v = 0.001 * fading([np.square(g) for g in gradients], 0.999) / (1 - 0.999**t)
    return m / (np.sqrt(v) + 1e-8)


def adam_second_step() -> Pairs:
    """m = 0.1 (0.9 + g), v = 0.001 (0.999 + g^2), both over what their weights add up to."""
    pairs: Pairs = []
    for second in (1, 0, -1):
        pairs.append(("gradients 1, then", second))
        for t in (1, 2):
            g = [1, second][:t]
            pairs += [
                ("  step", t),
                (": m=", 0.1 * fading(g, 0.9)),
                ("v=", 0.001 * fading(np.square(g).tolist(), 0.999)),
                ("moves by", -0.1 * adam_direction(g)),
            ]
    return pairs


def buffer_remembers() -> Pairs:
    """The buffer is the sum of 0.9^age times the gradients; w loses 0.1 of each buffer."""
    gradients, pairs = [1, 1, 1, 0, -1], []
    buffers = [buffer(gradients[:t]) for t in range(1, 6)]
    for g, b, w in zip(gradients, buffers, -0.1 * np.cumsum(buffers), strict=True):
        pairs += [("gradient", g), (": buffer=", b), ("w=", w)]
    return pairs


def momentum() -> Pairs:
    """From 1, lr 0.01, three times the same gradient: the buffer is 1, 1.9, 2.71 times it."""
    g, w, pairs = np.array([0.25, 0.25, 1.25, 0.25]), np.ones(4), []
    for t in (1, 2, 3):
        w = w - 0.01 * buffer([g] * t)
        pairs += [("step", t), (", buffer:", buffer([g] * t)), ("step", t), (", w:", w)]
    return pairs


def same_gradient() -> Pairs:
    """Three gradients of 2 from w = 1 with lr 0.1: each optimizer's direction at t = 1, 2, 3."""
    times, g = (1, 2, 3), 2.0

    def after(directions):
        return 1 - 0.1 * np.cumsum(directions)

    def shrunk(by, push):
        """w is multiplied by `by`, then pushed, three times: a geometric sum."""
        return np.array([by**t - push * sum(by**k for k in range(t)) for t in times])

    return [
        ("SGD", after([g] * 3)),
        ("momentum", after([buffer([g] * t) for t in times])),
        ("nesterov", after([g + 0.9 * buffer([g] * t) for t in times])),
        ("weight_decay", shrunk(1 - 0.1 * 0.5, 0.1 * g)),
        ("Adagrad", after([g / np.sqrt(t * g**2) for t in times])),
        ("RMSprop", after([g / np.sqrt((1 - 0.99**t) * g**2) for t in times])),
        ("Rprop", after([1.2 ** (t - 1) for t in times])),
        ("Adamax", after([1, 1, 1])),
        ("Adam", after([adam_direction([g] * t) for t in times])),
        ("AdamW", shrunk(1 - 0.1 * 0.01, 0.1)),
    ]
