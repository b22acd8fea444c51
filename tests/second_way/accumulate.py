"""The numbers of `snippets/accumulate/`, found without autograd."""

import numpy as np

from second_way.tools import HEADING, Pairs, mse, sgd, slope

X, TARGET = np.array([1.0, 2, 3, 4]), np.array([3.0, 5, 7, 9])


def batch(part: slice = slice(None)) -> np.ndarray:
    """The gradient at w = 1 of the mean squared error of w x, over a part of the batch."""
    return slope(lambda w: mse(w * X[part], TARGET[part]), 1)


def batch_norm() -> Pairs:
    """nn.BatchNorm1d: gamma (x - mean) / sqrt(var + 1e-5), var over n; d(loss)/d(gamma) at 1."""
    x, target = np.array([1.0, 2, 3, 8]), np.array([0.0, 0, 1, 1])

    def loss(gamma, part):
        return mse(gamma * (x[part] - x[part].mean()) / np.sqrt(x[part].var() + 1e-5), target[part])

    def halves(gamma):
        return loss(gamma, slice(0, 2)) / 2 + loss(gamma, slice(2, 4)) / 2

    def normalized(part):
        return (x[part] - x[part].mean()) / np.sqrt(x[part].var() + 1e-5)

    return [
        *(
            pair
            for start, stop in ((0, 4), (0, 2), (2, 4))
            for pair in (
                ("x[", start),
                (":", stop),
                ("] normalized:", normalized(slice(start, stop))),
            )
        ),
        ("one batch of 4, weight.grad:", slope(lambda gamma: loss(gamma, slice(0, 4)), [1])),
        ("two of 2, divided by 2, weight.grad:", slope(halves, [1])),
    ]


def class_weights() -> Pairs:
    """-c log softmax(x w) at w = 0, over the sum of c: 5 for the label 0, 1 for the label 1."""
    x, labels, c = np.array([1.0, 2, 3, 4]), np.array([0, 1, 1, 1]), np.array([5.0, 1, 1, 1])

    def loss(w, part):
        scores = np.outer(x[part], w)
        chosen = scores[np.arange(len(scores)), labels[part]]
        log_sum = np.log(np.exp(scores).sum(axis=1))
        return np.sum(c[part] * (log_sum - chosen)) / np.sum(c[part])

    whole, first, second = (
        slope(lambda w, part=part: loss(w, part), [0, 0])
        for part in (slice(0, 4), slice(0, 2), slice(2, 4))
    )
    return [
        ("one batch of 4, w.grad:", whole),
        ("shares by labels, w.grad:", first / 2 + second / 2),
        ("shares by weights, w.grad:", first * 6 / 8 + second * 2 / 8),
    ]


def last_digit() -> Pairs:
    """y = 0.1 w, losses 0.1 y and 0.7 y: (0.1 + 0.7) 0.1 or 0.1 0.1 + 0.7 0.1, each rounded."""
    pairs: Pairs = []
    for dtype in (np.float32, np.float64):
        a, b = dtype(0.1), dtype(0.7)
        pairs += [
            ("  sum first, w.grad:", (a + b) * a),
            ("  one by one, w.grad:", a * a + b * a),
        ]
    return pairs


def ignored_labels() -> Pairs:
    """-log softmax(x w) at w = 0 for the labels 0, 1, 1: the mean over those that a part counts."""

    def loss(w, xs, labels):
        scores = np.outer(xs, w)
        chosen = scores[np.arange(len(xs)), labels]
        return np.mean(np.log(np.exp(scores).sum(axis=1)) - chosen)

    whole, first, second = (
        slope(lambda w, xs=xs, labels=labels: loss(w, xs, labels), [0, 0])
        for xs, labels in (([1, 2, 3], [0, 1, 1]), ([1, 2], [0, 1]), ([3], [1]))
    )
    return [
        ("one batch of 4, w.grad:", whole),
        ("weighted by samples, w.grad:", first / 2 + second / 2),
        ("weighted by labels that count, w.grad:", first * 2 / 3 + second / 3),
    ]


def retain_is_no_cure() -> Pairs:
    """hidden = w * hidden, loss = hidden^2, from w = 2 and hidden = 1 with lr = 0.1."""

    def step(number, gradient):
        return [("  step", number), (", w.grad:", gradient)]

    def square(hidden):
        return lambda w: (w * hidden) ** 2

    first = slope(square(1), 2)
    moved = float(sgd(2, first, lr=0.1))
    # The retained graph has the parameter twice: as it was in round one, and as it is now.
    through = slope(square(2), moved) + slope(lambda old: (moved * old) ** 2, 2)
    alone = slope(square(2), moved)
    after = float(sgd(moved, alone, lr=0.1))
    last = slope(square(moved * 2), after)
    return [
        *step(0, first),
        ("  step", 1),
        *step(0, first),
        *step(1, through),
        ("  step", 2),
        *step(0, first),
        *step(1, alone),
        *step(2, last),
    ]


def unused_branch() -> Pairs:
    """The squares of 2 y1, 3 y1, ...: of the first alone, or of all branches."""
    pairs: Pairs = []
    for used in ("one", "all"):
        for branches in (1, 2, 5):
            count = 1 if used == "one" else branches
            gradient = slope(
                lambda w, count=count: sum((k * (2 * w + 1)) ** 2 for k in range(2, 2 + count)), 1
            )
            pairs += [("", branches), (f" branches, {used} used, w.grad:", gradient)]
    return pairs


def without_zero_grad() -> Pairs:
    """w^2 from w = 1, three steps with lr = 0.25, by the gradient or by the sum of all so far."""
    pairs: Pairs = []
    for clear in (True, False):
        w, gradient = 1.0, 0.0
        for step in range(3):
            gradient = slope(lambda w: w**2, w) + (0 if clear else gradient)
            w = sgd(w, gradient, lr=0.25)
            pairs += [("  step", step), (": w.grad=", gradient), ("w=", w)]
    return pairs


def zero_still_moves() -> Pairs:
    """A step with gradient 3, then one with 0, lr 0.1: nothing; lr * 0.9 * 3; Adam's formula.

    Adam (Kingma and Ba, 2015): lr * m / (1 - 0.9^2) / (sqrt(v / (1 - 0.999^2)) + 1e-8) with
    m = 0.9 * 0.1 * 3 and v = 0.999 * 0.001 * 9 in the second step.
    """
    m, v = 0.9 * 0.1 * 3, 0.999 * 0.001 * 9
    adam = 0.1 * m / (1 - 0.9**2) / (np.sqrt(v / (1 - 0.999**2)) + 1e-8)
    moved = (("SGD", 0.0), ("SGD with momentum", -0.1 * 0.9 * 3), ("Adam", -adam))
    pairs: Pairs = []
    for name, by in moved:
        pairs += [(f"{name}: a gradient of", 0), (" moves w by", by)]
    return pairs


def not_divided() -> Pairs:
    """One step with lr = 0.01 on the whole batch, or on the sum over its halves.

    Adam (Kingma and Ba, 2015): its first step is lr g / (sqrt(g^2) + 1e-8).
    """
    whole, halves = batch(), batch(slice(0, 2)) + batch(slice(2, 4))

    def adam(gradient):
        return -0.01 * gradient / (np.sqrt(gradient**2) + 1e-8)

    pairs: Pairs = []
    for name, move in (("SGD", lambda gradient: sgd(0, gradient, lr=0.01)), ("Adam", adam)):
        pairs += [
            (name, HEADING),
            ("  one batch of 4 moves w by", move(whole)),
            ("  two of 2, not divided, move w by", move(halves)),
        ]
    return pairs
