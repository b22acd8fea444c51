"""The numbers of `snippets/sharing/`, found without autograd."""

import numpy as np

from second_way.tools import HEADING, Pairs, coef, sgd, slope


def two_calls(a, b):
    """loss = mean(a + 2b), a and b being the outputs of the two calls."""
    return np.mean(a + 2 * b)


def coef_gradient(x: np.ndarray) -> np.ndarray:
    """d(loss)/d(coef) where both calls take x: a = b = coef * x."""
    return slope(lambda c: two_calls(c * x, c * x), coef())


def called_twice() -> Pairs:
    """Here a is computed first, so that b comes first in backward; coef gets both."""
    at_b = slope(lambda b: two_calls(coef(), b), coef()).mean()
    return [
        ("hook, mean of grad_output:", at_b),
        ("mean of coef.grad:", coef_gradient(np.ones((1, 1, 40, 40))).mean()),
    ]


def input_sees_sum() -> Pairs:
    """d(loss)/dx where a = b = coef * x, at x = 1; and its formula."""
    seen = slope(lambda x: two_calls(coef() * x, coef() * x), np.ones((1, 1, 40, 40)))
    return [
        ("hook on x, mean of grad:", seen.mean()),
        ("3 * mean(coef) / 1600:", 3 * coef().mean() / 1600),
    ]


def max_and_min() -> Pairs:
    """One step with lr = 1: how far max and min move, for input ones and for 0 ... 1599."""
    pairs: Pairs = []
    for heading, x in (
        ("input all ones:", np.ones((1, 1, 40, 40))),
        ("input 0, 1, ..., 1599:", np.arange(1600.0).reshape(1, 1, 40, 40)),
    ):
        old, gradient = coef(), coef_gradient(x)
        new = sgd(old, gradient, lr=1)
        pairs += [
            (heading, HEADING),
            ("  max moved by", old.max() - new.max()),
            ("  min moved by", old.min() - new.min()),
            ("  max was element", old.argmax()),
            (", now", new.argmax()),
            ("  min was element", old.argmin()),
            (", now", new.argmin()),
            ("  each element: new == old - lr * grad:", True),
            (
                "  mean: new == old - lr * mean of grad:",
                bool(np.isclose(new.mean(), old.mean() - gradient.mean())),
            ),
        ]
    return pairs


def one_step() -> Pairs:
    """One step with lr = 1, input ones: mean, max, min of coef before and after, and its twin's."""
    gradient = coef_gradient(np.ones((1, 1, 40, 40)))

    def show(name, p):
        return [(f"{name}: mean", p.mean()), ("max", p.max()), ("min", p.min())]

    return [
        *show("before step, coef", coef()),
        *show("after step, coef", sgd(coef(), gradient, lr=1)),
        *show("after step, twin", coef()),
        ("twin.grad:", None),
        ("twin has the same storage:", False),
        ("every coef.grad is 3/1600:", np.allclose(gradient, 3 / 1600)),
    ]


def one_step_or_two() -> Pairs:
    """(w - 1)^2 and (w - 3)^2 from w = 0 with lr = 0.25: their sum, or one after the other."""
    pairs: Pairs = []
    for rounds in ([(1, 3)], [(1,), (3,)]):
        w = 0.0
        for ends in rounds:
            gradient = slope(lambda w, ends=ends: sum((w - end) ** 2 for end in ends), w)
            w = sgd(w, gradient, lr=0.25)
            pairs += [("  w.grad:", gradient), (" w:", w)]
    return pairs


def two_memories() -> Pairs:
    """(w - 2)^2 and (w - 3)^2 from w = 1: by the formulas of momentum and of Adam."""

    def walk(kind, rounds):
        w, buffer, m, v = 1.0, 0.0, 0.0, 0.0
        for step, ends in enumerate(rounds, start=1):
            gradient = sum(2 * (w - end) for end in ends)
            if kind == "momentum":
                buffer = 0.9 * buffer + gradient
                w -= 0.1 * buffer
            else:
                m = 0.9 * m + 0.1 * gradient
                v = 0.999 * v + 0.001 * gradient**2
                w -= 0.1 * (m / (1 - 0.9**step)) / (np.sqrt(v / (1 - 0.999**step)) + 1e-8)
        return w

    pairs: Pairs = []
    for kind in ("momentum", "Adam"):
        pairs += [
            (f"{kind}, once:", walk(kind, [(2, 3)])),
            (f"{kind}, twice:", walk(kind, [(2,), (3,)])),
        ]
    return pairs


def two_stages() -> Pairs:
    """3 a - b^2 from (1, 2), two steps with lr = 0.125; tied, its slope is 3 - 2 a."""
    pairs: Pairs = []
    for name in ("one parameter", "two, not added", "two, gradients added"):
        a = b = np.array([1.0, 2.0])
        for _ in range(2):
            at_a, at_b = np.array([3.0, 3.0]), -2 * b
            if name != "two, not added":
                at_a = at_b = at_a + at_b
            a, b = sgd(a, at_a, lr=0.125), sgd(b, at_b, lr=0.125)
        pairs += [(name, HEADING), ("  first:", a), ("  last:", b)]
    return pairs


def summands() -> Pairs:
    """d(loss)/dx through b = coef * x alone, through a alone, and through both."""
    ones = np.ones((1, 1, 40, 40))
    through_b = slope(lambda x: two_calls(coef() * ones, coef() * x), ones).mean()
    through_a = slope(lambda x: two_calls(coef() * x, coef() * ones), ones).mean()
    label = "module hook, mean of grad_input:"
    both = slope(lambda x: two_calls(coef() * x, coef() * x), ones).mean()
    return [(label, through_b), (label, through_a), ("tensor hook on x, mean of grad:", both)]


def two_or_tied() -> Pairs:
    """|D E x - x|^2, three steps: E and D = E^T one parameter, or two with one memory.

    Two parameters move the memory by change(g_E) and by change(g_D), a tied one by
    change(g_E + g_D); where weights decay, each of these moves decays them.
    The changes are those of torch.optim, as functions of all gradients so far.
    """
    x, start = np.array([1, 2]), np.array([[1.0, 2], [3, 4]])

    def decayed(values, beta):
        return sum(beta**age * value for age, value in enumerate(reversed(values)))

    def plain(gradients):
        return 1e-4 * gradients[-1]

    def momentum(gradients):
        return 1e-4 * decayed(gradients, 0.9)

    def adam(gradients):
        m = 0.1 * decayed(gradients, 0.9) / (1 - 0.9 ** len(gradients))
        v = 0.001 * decayed([g**2 for g in gradients], 0.999) / (1 - 0.999 ** len(gradients))
        return 0.1 * m / (np.sqrt(v) + 1e-8)

    def loss(e, d):
        return np.sum((d.T @ (e @ x) - x) ** 2)

    def train(change, tied, decay):
        w, by_e, by_d = start, [], []
        for _ in range(3):
            by_e.append(slope(lambda e, w=w: loss(e, w), w))
            by_d.append(slope(lambda d, w=w: loss(w, d), w))
            both = [e + d for e, d in zip(by_e, by_d, strict=True)]
            for gradients in (both,) if tied else (by_e, by_d):
                w = w - change(gradients) - decay * w
        return w

    pairs: Pairs = []
    for name, change, decay in (
        ("SGD", plain, 0),
        ("SGD with momentum", momentum, 0),
        ("SGD with weight decay", plain, 1e-4),
        ("Adam", adam, 0),
    ):
        gap = np.abs(train(change, True, decay) - train(change, False, decay)).max()
        pairs += [(name, HEADING), (": largest difference after 3 steps:", gap)]
    return pairs
