"""The numbers of `snippets/gradient/`, found without autograd."""

from collections.abc import Callable

import numpy as np
import torch

from second_way import Pairs, rounded, slope

norm = np.linalg.norm


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


def leave_out() -> Pairs:
    """The losses of six steps for the line 2x + 1 from w = b = 0, lr = 0.1, without one line."""
    x, pairs = np.array([1.0, 2.0, -1.0, -2.0]), []

    def loss(weights: np.ndarray) -> float:
        return np.mean((weights[0] * x + weights[1] - (2 * x + 1)) ** 2)

    for name in ("nothing", "zero_grad", "backward", "step"):
        weights, gradient, losses = np.zeros(2), np.zeros(2), []
        for _ in range(6):
            losses.append(rounded(loss(weights), ".4f"))
            gradient = gradient * (name == "zero_grad")
            gradient = gradient + slope(loss, weights) * (name != "backward")
            weights = weights - 0.1 * gradient * (name != "step")
        pairs.append((f"without {name}:", losses))
    return pairs


# A network of two layers on nine pictures, its backward pass written out.

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
    weights: Weights, x: np.ndarray = RAW / 9, kept: np.ndarray | float = 1.0
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


def trained(
    steps: int, lr: float, x: np.ndarray = RAW / 9, keep: Callable = lambda seed: 1.0
) -> tuple[list[float], list[float], Weights, torch.Generator]:
    """The loss and the norm of the slope by the first weight before each step of gradient descent;
    the weights after the last, and what draws next."""
    weights, seed = layers((16, 8), (8, 3))
    losses, norms = [], []
    for _ in range(steps):
        loss, slopes = loss_and_slopes(weights, x, keep(seed))
        losses.append(loss)
        norms.append(norm(slopes[0]))
        weights = [w - lr * s for w, s in zip(weights, slopes, strict=True)]
    return losses, norms, weights, seed


def one_batch() -> Pairs:
    """The first picture, and every 20th loss."""
    pairs: Pairs = [("first picture:", RAW[0])]
    for step, loss in enumerate(trained(61, 0.5)[0]):
        pairs += [] if step % 20 else [("step", step), (", loss:", rounded(loss))]
    return pairs


def detached() -> Pairs:
    """Behind the cut nothing arrives; without it, the first layer gets its slope."""
    first, _, last, _ = loss_and_slopes(layers((16, 8), (8, 3))[0])[1]
    labels = "last.weight.grad, norm:", "without, first.weight.grad, norm:"
    return [(labels[0], rounded(norm(last))), (labels[1], rounded(norm(first)))]


def dead_from_the_start() -> Pairs:
    """The first bias is -9, then 0."""
    pairs: Pairs = []
    for bias in (-9.0, 0.0):
        weights, _ = layers((16, 8), (8, 3))
        weights[1] = np.full(8, bias)
        loss, slopes = loss_and_slopes(weights)
        hidden = np.maximum(RAW / 9 @ weights[0].T + bias, 0)
        pairs += [("bias", bias), (", largest hidden:", rounded(hidden.max()))]
        pairs += [("loss:", rounded(loss)), ("first.weight.grad, norm:", rounded(norm(slopes[0])))]
    return pairs


def log_of_zero() -> Pairs:
    """The third loss is so large that a probability rounds to 0, whose logarithm is infinite."""
    losses, norms, *_ = trained(6, 2.0, RAW)
    assert losses[2] > 9 * 104, "a probability below the smallest number of float32"
    pairs: Pairs = []
    for name in ("log", "cross_entropy"):
        for step in (0, 1, 5):
            lost = name == "log" and step > 2
            loss, size = (np.nan if lost else rounded(n[step], ".2g") for n in (losses, norms))
            pairs += [(f"{name}, step", step), (", loss:", loss), ("grad:", size)]
    return pairs


def raw_pixels() -> Pairs:
    """One weight per pixel, the squared error, lr 0.1. Norms of the gradient: of the raw pixels,
    about 40 times as large in each step, before the 30th beyond float32."""
    pairs: Pairs = []
    for name, x in (("raw", RAW), ("divided", RAW / 9)):
        w = np.zeros(16)
        for step in range(31):
            gradient = 2 * (x @ w - DIGIT) @ x / 9
            w, size = w - 0.1 * gradient, norm(gradient)
            if step in (0, 1, 2, 30):
                size = np.nan if size > 1e38 else rounded(size, ".1e")
                pairs += [(f"{name}, step", step), (", norm:", size)]
    return pairs


def new_layer() -> Pairs:
    """The third nn.Linear drawn takes the place of the second; the first step moves the first."""
    (w1, b1, _, _, *third), _ = layers((16, 8), (8, 3), (8, 3))
    _, slopes = loss_and_slopes([w1, b1, *third])
    _, then = loss_and_slopes([w1 - 0.5 * slopes[0], b1 - 0.5 * slopes[1], *third])
    return [
        ("old optimizer, grad:", rounded(norm(slopes[2]))),
        ("new optimizer, grad:", rounded(norm(then[2]))),
        (", moved:", rounded(0.5 * norm(then[2]))),
    ]


def wrong_sign() -> Pairs:
    """Uphill, then downhill."""
    pairs: Pairs = []
    for sign in (1, -1):
        for step, loss in enumerate(trained(3, -0.5 * sign)[0]):
            pairs += [("sign", sign), (", step", step), (", loss:", rounded(loss))]
    return pairs


def too_slow() -> Pairs:
    """The 61st loss, and the slope there."""
    losses, norms, *_ = trained(61, 0.5)
    return [("step 60, loss:", rounded(losses[60])), (", grad:", rounded(norms[60]))]


def still_dropping() -> Pairs:
    """Half of the hidden numbers are left out and the others doubled; then none."""

    def keep(seed: torch.Generator) -> np.ndarray:
        return torch.empty(9, 8).bernoulli_(0.5, generator=seed).double().numpy() * 2

    *_, weights, seed = trained(100, 0.5, keep=keep)
    pairs: Pairs = []
    for training in (True, True, False, False):
        loss, _ = loss_and_slopes(weights, kept=keep(seed) if training else 1.0)
        pairs += [("training", training), (", loss:", rounded(loss))]
    return pairs


def network() -> Pairs:
    """Linear, tanh, Linear on the parabola, by differences."""
    weights, _ = layers((1, 8), (8, 1))
    x = np.array([[-2.0], [-1.0], [1.0], [2.0]])

    def loss(weights: Weights) -> float:
        w1, b1, w2, b2 = weights
        return np.mean((np.tanh(x @ w1.T + b1) @ w2.T + b2 - x**2) ** 2)

    for _ in range(100):
        last = loss(weights)
        slopes = [
            slope(lambda v, ws=weights, n=n: loss([*ws[:n], v, *ws[n + 1 :]]), w)
            for n, w in enumerate(weights)
        ]
        weights = [w - 0.1 * s for w, s in zip(weights, slopes, strict=True)]
    return [("last step, loss:", rounded(last, ".3f"))]
