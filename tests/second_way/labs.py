"""The numbers and the figures of `snippets/labs/`, found without autograd.

Every backward pass is written out here, layer by layer; `curves` and `maps` give what is drawn.
"""

from collections.abc import Callable, Iterator
from functools import cache
from itertools import pairwise

import numpy as np
import torch

Array = np.ndarray
Slope = tuple[Callable[[Array], Array], Callable[[Array], Array]]
"""A function and its derivative."""

SIGMOID: Slope = (lambda z: 1 / (1 + np.exp(-z)), lambda z: np.exp(-z) / (1 + np.exp(-z)) ** 2)
TANH: Slope = (np.tanh, lambda z: 1 - np.tanh(z) ** 2)
RELU: Slope = (lambda z: np.maximum(z, 0), lambda z: (z > 0) * 1.0)


class Draw:
    """The numbers that torch draws in float64, one after another, as the script does."""

    def __init__(self, seed: int = 0) -> None:
        self.seed = torch.Generator().manual_seed(seed)

    def normal(self, *shape: int) -> Array:
        return torch.randn(*shape, generator=self.seed, dtype=torch.float64).numpy()

    def uniform(self, bound: float, *shape: int) -> Array:
        drawn = torch.empty(*shape, dtype=torch.float64)
        return drawn.uniform_(-bound, bound, generator=self.seed).numpy()

    def layer(self, inputs: int, outputs: int) -> tuple[Array, Array]:
        """What nn.Linear begins with."""
        bound = inputs**-0.5
        return self.uniform(bound, outputs, inputs), self.uniform(bound, outputs)

    def shuffled(self, count: int) -> Array:
        return torch.randperm(count, generator=self.seed).numpy()


def size(numbers: Array) -> float:
    return float(np.sqrt(np.sum(numbers**2)))


# Depth: thirty layers, each a function of its input and its weight that returns its output and the
# step back, from the gradient of the output to that of the input.

Step = Callable[[Array], Array]


def walk_back(grad: Array, steps: list[Step]) -> list[float]:
    """The norm of the gradient at the input of each layer, the first layer first."""
    found = []
    for step in reversed(steps):
        grad = step(grad)
        found.append(size(grad))
    return found[::-1]


def deep(
    layer: Callable[[Array, Array], tuple[Array, Step]], scale: float, rows: int = 256
) -> list[float]:
    """The norms for weights of this scale and a random gradient of the output."""
    draw = Draw()
    h, steps = draw.normal(rows, 64), []
    for _ in range(30):
        h, step = layer(h, draw.normal(64, 64) * (scale / 8))
        steps.append(step)
    return walk_back(draw.normal(rows, 64), steps)


def starts(kaiming: bool) -> list[float]:
    """Linear and ReLU as nn.Linear draws them, or by Kaiming; the loss is the mean."""
    draw = Draw()
    h, steps = draw.normal(256, 64), []
    for _ in range(30):
        weight, bias = draw.layer(64, 64)
        if kaiming:
            weight = draw.normal(64, 64) * (2 / 64) ** 0.5
        z = h @ weight.T + bias
        steps.append(lambda grad, z=z, w=weight: (grad * (z > 0)) @ w)
        h = RELU[0](z)
    return walk_back(np.full((256, 64), 1 / (256 * 64)), steps)


def scaled(scale: float) -> list[float]:
    """At the output of each layer: the gradient that the mean gives, times the weights above."""
    draw = Draw()
    for _ in range(30):
        draw.uniform(1, 64, 64)  # what nn.Linear draws and normal_ overwrites
    weights = [draw.normal(64, 64) * scale / 8 for _ in range(30)]
    last = np.full((256, 64), 1 / (256 * 64))
    return [*walk_back(last, [lambda grad, w=w: grad @ w for w in weights[1:]]), size(last)]


@cache
def activated(name: str, scale: float, rows: int = 256) -> list[float]:
    """A function after each layer."""
    function, derivative = {"sigmoid": SIGMOID, "tanh": TANH, "relu": RELU}[name]
    return deep(
        lambda h, w: (function(h @ w), lambda grad: (grad * derivative(h @ w)) @ w.T), scale, rows
    )


CASES = (("sigmoid", 1.0), ("tanh", 1.0), ("relu", 1.0), ("relu", 2**0.5))


def connected(through: float, branch: float) -> list[float]:
    """h becomes through h + branch tanh(h W)."""
    return deep(
        lambda h, w: (
            through * h + branch * np.tanh(h @ w),
            lambda grad: through * grad + branch * (grad * TANH[1](h @ w)) @ w.T,
        ),
        0.5,
    )


WAYS = ((0, 1), (1, 1), (1, 30**-0.5))


def normalized_gradient(grad: Array, y: Array, spread: Array, axis: int) -> Array:
    """Through y = (z - mean) / spread along an axis, in closed form."""
    along = y * (grad * y).mean(axis, keepdims=True)
    return (grad - grad.mean(axis, keepdims=True) - along) / spread


def normalized_by(scale: float, norm: bool) -> list[float]:
    """Linear, LayerNorm (or nothing), ReLU."""

    def layer(h: Array, w: Array) -> tuple[Array, Step]:
        y = z = h @ w
        spread = z.std(1, keepdims=True)
        if not norm:
            return RELU[0](y), lambda grad: (grad * (y > 0)) @ w.T
        y = (z - z.mean(1, keepdims=True)) / spread
        return RELU[0](y), lambda grad: normalized_gradient(grad * (y > 0), y, spread, 1) @ w.T

    return deep(layer, scale)


NORMS = ((0.5, False), (2.0, False), (0.5, True), (2.0, True))


# Networks that are trained: forward and backward written out for any number of layers.


class Net:
    """Linear layers with a function between them, its loss the mean of the squared errors."""

    def __init__(self, draw: Draw, sizes: list[int], between: Slope) -> None:
        self.layers = [[*draw.layer(*pair)] for pair in pairwise(sizes)]
        self.between = between

    def forward(self, x: Array) -> tuple[Array, list[Array], list[Array]]:
        """The output; what entered each layer; what left it."""
        entered, left = [], []
        for number, (weight, bias) in enumerate(self.layers):
            entered.append(x if not number else self.between[0](left[-1]))
            left.append(entered[-1] @ weight.T + bias)
        return left[-1], entered, left

    def gradients(self, x: Array, y: Array) -> list[tuple[Array, Array]]:
        """Of the weight and the bias of each layer."""
        out, entered, left = self.forward(x)
        grad, found = 2 * (out - y) / y.size, []
        for number in range(len(self.layers) - 1, -1, -1):
            found.append((grad.T @ entered[number], grad.sum(0)))
            if number:
                grad = (grad @ self.layers[number][0]) * self.between[1](left[number - 1])
        return found[::-1]

    def train(self, lr: float, steps: int) -> Iterator[list]:
        """SGD on the sine; yields the gradients before each step, with the step still to be
        made."""
        for _ in range(steps):
            gradients = self.gradients(X, Y)
            yield gradients
            for layer, of_layer in zip(self.layers, gradients, strict=True):
                layer[:] = [p - lr * grad for p, grad in zip(layer, of_layer, strict=True)]


X = torch.linspace(-3, 3, 128, dtype=torch.float64).numpy()[:, None]
Y = np.sin(2 * X)
DEEP = [1, 32, 32, 32, 32, 32, 32, 1]


def watched(between: Slope) -> Array:
    """The logarithms of the norms by layer and step."""
    rows = Net(Draw(), DEEP, between).train(0.05, 150)
    return np.log10([[size(weight) for weight, _ in gradients] for gradients in rows]).T


def passing() -> Array:
    """The share of inputs that each unit passes, by step."""
    net = Net(Draw(), [1, 32, 32, 1], RELU)
    return np.array([(net.forward(X)[2][1] > 0).mean(0) for _ in net.train(0.5, 60)]).T


@cache
def columns() -> Array:
    """The logarithms of the gradients of one layer: their shares in twenty bins a step."""
    logs = [np.log10(abs(grads[1][0])) for grads in Net(Draw(), DEEP, TANH).train(0.05, 150)]
    return np.array([np.histogram(log, 20, (-7, -2))[0] / 1024 for log in logs]).T


TRAINED = (("SGD", 0.1), ("SGD", 0.01), ("Adam", 0.001))


def ratios(kind: str, lr: float) -> list[float]:
    """The update over the weight of the middle layer."""
    net, found = Net(Draw(), [1, 32, 32, 1], TANH), []
    moments = np.zeros((3, 2, 2)).tolist()
    for step in range(1, 101):
        before = net.layers[1][0]
        for layer, grads, of_layer in zip(net.layers, net.gradients(X, Y), moments, strict=True):
            for k, grad in enumerate(grads):
                m, v = of_layer[k]
                of_layer[k] = m, v = 0.9 * m + 0.1 * grad, 0.999 * v + 0.001 * grad**2
                adam = m / (1 - 0.9**step) / (np.sqrt(v / (1 - 0.999**step)) + 1e-8)
                layer[k] = layer[k] - lr * (adam if kind == "Adam" else grad)
        found.append(size(net.layers[1][0] - before) / size(before))
    return found


# Noise: the gradient of each sample, and means of them.


@cache
def dots() -> tuple[Array, Array]:
    """The gradients of 200 micro-batches of 4, and that of all: 2 (x w - y) x with w = 0."""
    draw = Draw()
    x = draw.normal(512, 2)
    each = -2 * (x @ np.array([2.0, 1.0]) + draw.normal(512))[:, None] * x
    found = [each[draw.shuffled(512)[:4]].mean(0) for _ in range(200)]
    return np.array(found), each.mean(0)


def regression(draw: Draw) -> tuple[Array, Array]:
    """512 samples of eight numbers, and a noisy product of two of these."""
    x = draw.normal(512, 8)
    return x, x[:, :1] * x[:, 1:2] + draw.normal(512, 1)


SIZES = [1, 2, 4, 8, 16, 32, 64, 128, 256]


@cache
def spreads() -> list[float]:
    """How far the means over micro-batches lie from the mean over all samples: `rows` are the
    gradients of each sample by all weights and biases."""
    draw, found = Draw(), []
    x, y = regression(draw)
    net = Net(draw, [8, 16, 1], TANH)
    each = [net.gradients(x[n : n + 1], y[n : n + 1]) for n in range(512)]
    rows = np.array([np.concatenate([p.ravel() for t in row for p in t]) for row in each])
    for count in SIZES:
        shuffles = [draw.shuffled(512).reshape(-1, count) for _ in range(max(1, count // 4))]
        means = rows[np.concatenate(shuffles)].mean(1)
        found.append(float(np.sqrt(((means - rows.mean(0)) ** 2).sum(1).mean())))
    return found


def scales() -> list[float]:
    """Of a linear model: the gradient of a sample is 2 (x w - y) x."""
    draw = Draw()
    x, true = draw.normal(128, 8), draw.normal(8, 1)
    y = x @ true + draw.normal(128, 1)
    w, found = draw.uniform(8**-0.5, 1, 8).T, []
    for step in range(101):
        each = 2 * (x @ w - y) * x
        mean = each.mean(0)
        if step % 20 == 0:
            found.append(float(((each - mean) ** 2).sum(1).mean() / (mean**2).sum()))
        w = w - 0.02 * mean[:, None]
    return found


def gaps(over_batch: bool) -> list[float]:
    """BatchNorm normalizes each column over the rows, LayerNorm each row over the columns."""
    x, y = regression(Draw())
    draw, axis = Draw(1), 0 if over_batch else 1
    (first, first_bias), (last, last_bias) = draw.layer(8, 16), draw.layer(16, 1)

    def gradient(count: int) -> Array:
        total = 0.0
        for at in range(0, 512, count):
            part, target = x[at : at + count], y[at : at + count]
            z = part @ first.T + first_bias
            spread = np.sqrt(z.var(axis, keepdims=True) + 1e-5)
            n = (z - z.mean(axis, keepdims=True)) / spread
            h = np.tanh(n)
            out = 2 * (h @ last.T + last_bias - target) / 512
            inner = (out @ last) * (1 - h**2)
            back = normalized_gradient(inner, n, spread, axis)
            first_layer = [back.T @ part, back.sum(0), (inner * n).sum(0), inner.sum(0)]
            found = [*first_layer, out.T @ h, out.sum(0)]
            total = total + np.concatenate([gradient.ravel() for gradient in found])
        return total

    full = gradient(512)
    return [size(gradient(count) - full) / size(full) for count in SIZES[1:]]


# What the figures show: lines as (x, y), or maps as rows of numbers with the ends of their scale.

Curve = tuple[Array, Array]
LAYERS, STEPS = np.arange(30), np.arange(100)

CURVES: dict[str, Callable[[], list[Curve]]] = {
    "default_start": lambda: [(LAYERS, starts(False)), (LAYERS, starts(True))],
    "depth_norms": lambda: [(LAYERS, scaled(scale)) for scale in (0.5, 1.0, 2.0)],
    "one_scale": lambda: [
        (LAYERS, np.divide(activated("relu", 1.0, 64), activated("relu", 1.0, 64)[29])),
        (LAYERS[[0, 29]], np.ones(2)),
    ],
    "activations": lambda: [(LAYERS, activated(*case)) for case in CASES],
    "residual": lambda: [(LAYERS, connected(*way)) for way in WAYS],
    "normalized": lambda: [(LAYERS, normalized_by(*norm)) for norm in NORMS],
    "cloud": lambda: [dots()[0][:100].T, np.array([[0, 0], dots()[1]]).T],
    "spread": lambda: [(SIZES, spreads()), (SIZES, spreads()[0] / np.sqrt(SIZES))],
    "noise_scale": lambda: [(np.arange(0, 101, 20), scales())],
    "batch_norm_gap": lambda: [(SIZES[1:], gaps(True)), (SIZES[1:], gaps(False))],
    "update_ratio": lambda: [(STEPS, ratios(*kind)) for kind in TRAINED],
}
MAPS: dict[str, Callable[[], list[tuple[Array, float, float]]]] = {
    "heat_map": lambda: [(watched(between), -6, 0) for between in (SIGMOID, TANH)],
    "dead_relu": lambda: [(passing(), 0, 1)],
    "histogram": lambda: [(columns(), 0, columns().max())],
}
