"""The numbers of `snippets/gradient/`, found without autograd."""

from collections.abc import Callable
from functools import cache

import numpy as np
import torch

from second_way.tools import Pairs, mse, sgd, slope


def three_steps(lr: float, cleared: bool) -> Pairs:
    """(2 w - 6)^2 from w = 0; not cleared, a step takes the sum of all slopes so far."""
    w, total, pairs = 0.0, 0.0, []
    for step in (1, 2, 3):
        here = slope(lambda w: (2 * w - 6) ** 2, w)
        total = here if cleared else total + here
        pairs += [("step", step), (", loss:", (2 * w - 6) ** 2), ("  slope:", total)]
        w -= lr * total
        pairs.append(("  new w:", w))
    return pairs


def review_problem() -> Pairs:
    """Slopes that add up, and steps of 0.2."""
    return three_steps(0.2, cleared=False)


def review_solution() -> Pairs:
    """A slope of its own for each step, and steps of 0.1."""
    return three_steps(0.1, cleared=True)


# The loss doesn't go down: a network of two layers on nine pictures, its backward pass written out.

PICTURES = """
0651143213320550 0571062216320550 0670164106420560
0360176005600470 0180068004800180 0191178003800181
0380047017300582 0610034001500564 0730025004200762
"""
RAW = np.array([[int(n) for n in picture] for picture in PICTURES.split()])
DIGIT = np.array([0, 0, 0, 1, 1, 1, 2, 2, 2])
Weights = list[np.ndarray]


def layers(*sizes: tuple[int, int]) -> tuple[Weights, torch.Generator]:
    """Weight and bias of each nn.Linear, drawn after torch.manual_seed(0); what draws next."""
    drawn, seed = [], torch.Generator().manual_seed(0)
    for inputs, outputs in sizes:
        for shape in ((outputs, inputs), (outputs,)):
            number = torch.empty(shape).uniform_(-(inputs**-0.5), inputs**-0.5, generator=seed)
            drawn.append(number.double().numpy())
    return drawn, seed


def loss_and_slopes(
    weights: Weights, x: np.ndarray, kept: np.ndarray | float = 1.0
) -> tuple[float, Weights]:
    """Cross entropy of last(kept * relu(first(x))), and its slope by each weight and bias."""
    w1, b1, w2, b2 = weights
    before = x @ w1.T + b1
    hidden = kept * np.maximum(before, 0)
    out = hidden @ w2.T + b2
    out = out - out.max(1, keepdims=True)
    log_chance = out - np.log(np.exp(out).sum(1, keepdims=True))
    at_out = (np.exp(log_chance) - np.eye(3)[DIGIT]) / 9
    at_before = at_out @ w2 * kept * (before > 0)
    slopes = [at_before.T @ x, at_before.sum(0), at_out.T @ hidden, at_out.sum(0)]
    return -log_chance[range(9), DIGIT].mean(), slopes


def losses_of_training(
    steps: int, lr: float, x: np.ndarray, keep: Callable[[torch.Generator], np.ndarray | float]
) -> tuple[list[float], Weights, torch.Generator]:
    """The loss before each step of gradient descent, the weights after the last."""
    weights, seed = layers((16, 8), (8, 3))
    losses = []
    for _ in range(steps):
        loss, slopes = loss_and_slopes(weights, x, keep(seed))
        losses.append(loss)
        weights = [w - lr * s for w, s in zip(weights, slopes, strict=True)]
    return losses, weights, seed


def trained(steps: int, lr: float, x: np.ndarray = RAW / 9) -> list[float]:
    return losses_of_training(steps, lr, x, lambda seed: 1.0)[0]


def first_slope(steps: int, lr: float, x: np.ndarray = RAW / 9) -> float:
    """The norm of the slope by the first weight after so many steps."""
    weights = losses_of_training(steps, lr, x, lambda seed: 1.0)[1]
    return norm(loss_and_slopes(weights, x)[1][0])


def norm(numbers: np.ndarray) -> float:
    return float(np.sqrt(np.sum(numbers**2)))


def near(number: float, form: str = ".2f") -> float:
    """As the script prints it."""
    return float(f"{number:{form}}")


def one_batch() -> Pairs:
    """The first picture, and every 20th loss."""
    losses = trained(61, 0.5)
    picture = [("first picture:", RAW[0])]
    return picture + [
        pair
        for step in (0, 20, 40, 60)
        for pair in (("step", step), (", loss:", near(losses[step])))
    ]


def detached() -> Pairs:
    """Behind the cut nothing arrives; without it, the first layer gets its slope."""
    _, slopes = loss_and_slopes(layers((16, 8), (8, 3))[0], RAW / 9)
    return [
        ("last.weight.grad, norm:", near(norm(slopes[2]))),
        ("without, first.weight.grad, norm:", near(norm(slopes[0]))),
    ]


def dead_from_the_start() -> Pairs:
    """The first bias is -9, then 0."""
    pairs: Pairs = []
    for bias in (-9.0, 0.0):
        weights, _ = layers((16, 8), (8, 3))
        weights[1] = np.full(8, bias)
        loss, slopes = loss_and_slopes(weights, RAW / 9)
        hidden = np.maximum(RAW / 9 @ weights[0].T + bias, 0)
        pairs += [
            ("bias", bias),
            (", largest hidden:", near(hidden.max())),
            ("loss:", near(loss)),
            ("first.weight.grad, norm:", near(norm(slopes[0]))),
        ]
    return pairs


def log_of_zero() -> Pairs:
    """The third loss is so large that a probability rounds to 0, whose logarithm is infinite."""
    losses = trained(6, 2.0, RAW)
    assert losses[2] > 9 * 104, "a probability below the smallest number of float32"
    pairs: Pairs = []
    for name in ("log", "cross_entropy"):
        for step in (0, 1, 5):
            loss, size = near(losses[step], ".2g"), near(first_slope(step, 2.0, RAW), ".2g")
            if name == "log" and step > 2:
                loss = size = np.nan
            pairs += [(f"{name}, step", step), (", loss:", loss), ("grad:", size)]
    return pairs


@cache
def fitted(x_factor: float, clear: bool, lr: float = 0.1) -> tuple[list[float], list[float]]:
    """Losses and norms of what is in `.grad`, for one weight per pixel and the squared error."""
    x, w, kept = RAW * x_factor, np.zeros(16), np.zeros(16)
    losses, norms = [], []
    for _ in range(61):
        off = x @ w - DIGIT
        losses.append(np.mean(off**2))
        kept = (0 if clear else kept) + 2 * off @ x / 9
        norms.append(norm(kept))
        w = w - lr * kept
    return losses, norms


def raw_pixels() -> Pairs:
    """About 40 times as large in each step: before the 30th, beyond float32."""
    pairs: Pairs = []
    for name, factor in (("raw", 1), ("divided", 1 / 9)):
        norms = fitted(factor, True)[1]
        assert (norms[30] > 1e38) == (name == "raw")
        for step in (0, 1, 2, 30):
            found = np.nan if norms[step] > 1e38 else near(norms[step], ".1e")
            pairs += [(f"{name}, step", step), (", norm:", found)]
    return pairs


def new_layer() -> Pairs:
    """The third nn.Linear drawn takes the place of the second; the first step moves the first."""
    (w1, b1, _, _, w3, b3), _ = layers((16, 8), (8, 3), (8, 3))
    _, slopes = loss_and_slopes([w1, b1, w3, b3], RAW / 9)
    moved = [w1 - 0.5 * slopes[0], b1 - 0.5 * slopes[1], w3, b3]
    _, then = loss_and_slopes(moved, RAW / 9)
    return [
        ("old optimizer, grad:", near(norm(slopes[2]))),
        ("new optimizer, grad:", near(norm(then[2]))),
        (", moved:", near(0.5 * norm(then[2]))),
    ]


def wrong_sign() -> Pairs:
    """Uphill, then downhill."""
    pairs: Pairs = []
    for sign in (1, -1):
        for step, loss in enumerate(trained(3, -0.5 * sign)):
            pairs += [("sign", sign), (", step", step), (", loss:", near(loss))]
    return pairs


def not_cleared() -> Pairs:
    """The sum of all gradients so far, and the last alone."""
    return [
        ("not cleared, last loss:", near(fitted(1 / 9, False)[0][60])),
        ("cleared, last loss:", near(fitted(1 / 9, True)[0][60])),
    ]


def too_slow() -> Pairs:
    """The 61st loss, and the slope there."""
    return [("step 60, loss:", near(trained(61, 0.5)[60])), (", grad:", near(first_slope(60, 0.5)))]


def still_dropping() -> Pairs:
    """Half of the hidden numbers are left out and the others doubled; then none."""

    def keep(seed: torch.Generator) -> np.ndarray:
        return torch.empty(9, 8).bernoulli_(0.5, generator=seed).double().numpy() * 2

    _, weights, seed = losses_of_training(100, 0.5, RAW / 9, keep)
    pairs: Pairs = []
    for training in (True, True, False, False):
        loss, _ = loss_and_slopes(weights, RAW / 9, keep(seed) if training else 1.0)
        pairs += [("training", training), (", loss:", near(loss))]
    return pairs


# descent: a loss, a start, a learning rate


def descend(loss: Callable, w: float, lr: float, steps: int) -> list[float]:
    """Where each step of gradient descent ends."""
    visited = []
    for _ in range(steps):
        w = sgd(w, slope(loss, w), lr)
        visited.append(float(w))
    return visited


def bowl(w: float, steepness: float = 1.0) -> float:
    """steepness * (w - 3)**2."""
    return steepness * (w - 3) ** 2


def descent_steps() -> Pairs:
    """(w - 3)**2 from -1, lr = 0.25."""
    pairs, w = [("start, w:", -1)], -1
    for step, after in enumerate(descend(bowl, w, 0.25, 3), 1):
        pairs += [
            ("step", step),
            (", loss:", bowl(w)),
            ("step", step),
            (", slope:", slope(bowl, w)),
            ("step", step),
            (", new w:", after),
        ]
        w = after
    return pairs


def steeper() -> Pairs:
    """A step multiplies the distance from 3, 4 at first, by 1 - 2 * 0.25 * steepness."""
    pairs = []
    for steepness in (1, 2, 4, 8):
        powers = (1 - 0.5 * steepness) ** np.array([1, 2, 3])
        pairs += [("steepness", steepness), (", visited:", 3 - 4 * powers)]
    return pairs


# training-loop: the line 2x + 1, learned from w = b = 0, with the gradients by differences

X = np.array([1.0, 2.0, -1.0, -2.0])
Y = 2 * X + 1


def error(weights: np.ndarray) -> np.ndarray:
    """The mean of (wx + b - y)**2."""
    w, b = weights
    return mse(w * X + b, Y)


def train(without: str, steps: int) -> list[tuple[float, np.ndarray, np.ndarray]]:
    """For each step with lr = 0.1: the loss, the gradient that is used, and the new w and b."""
    weights, gradient, rows = np.zeros(2), np.zeros(2), []
    for _ in range(steps):
        loss = error(weights)
        kept = gradient if without == "zero_grad" else 0
        gradient = kept + slope(error, weights) * (without != "backward")
        if without != "step":
            weights = sgd(weights, gradient, 0.1)
        rows.append((loss, gradient, weights))
    return rows


def loop() -> Pairs:
    """Three steps."""
    pairs = []
    for step, (loss, gradient, weights) in enumerate(train("nothing", 3), 1):
        pairs += [
            ("step", step),
            (", loss:", loss),
            ("gradient of w:", gradient[0]),
            ("gradient of b:", gradient[1]),
            ("new w:", weights[0]),
            ("new b:", weights[1]),
        ]
    return pairs


def leave_out() -> Pairs:
    """The losses of six steps, with all lines and without one of them."""
    return [
        (f"without {name}:", [round(float(loss), 4) for loss, _, _ in train(name, 6)])
        for name in ("nothing", "zero_grad", "backward", "step")
    ]


def network() -> Pairs:
    """Linear, tanh, Linear on the parabola, with the derivatives written out."""
    seed = torch.Generator().manual_seed(0)

    def draw(bound, *shape):
        return torch.empty(*shape).uniform_(-bound, bound, generator=seed).double().numpy()

    first, shift = draw(1, 8, 1), draw(1, 8)
    second, offset = draw(8**-0.5, 1, 8), draw(8**-0.5, 1)
    x = np.array([[-2.0], [-1.0], [1.0], [2.0]])
    y = x**2
    for _ in range(100):
        hidden = np.tanh(x @ first.T + shift)
        wrong = hidden @ second.T + offset - y
        out = wrong / 2
        inner = out @ second * (1 - hidden**2)
        second, offset = sgd(second, out.T @ hidden, 0.1), sgd(offset, out.sum(0), 0.1)
        first, shift = sgd(first, inner.T @ x, 0.1), sgd(shift, inner.sum(0), 0.1)
    return [("last step, loss:", round(float(np.mean(wrong**2)), 3))]
