"""The numbers and the figures of `snippets/labs/`, found without autograd.

Every backward pass is written out here, layer by layer; `curves` and `maps` give what is drawn.
"""

from collections.abc import Callable, Iterator
from functools import cache
from itertools import pairwise

import numpy as np
import torch

from second_way.tools import Pairs

Array = np.ndarray
Slope = tuple[Callable[[Array], Array], Callable[[Array], Array]]
"""A function and its derivative."""

SIGMOID: Slope = (lambda z: 1 / (1 + np.exp(-z)), lambda z: np.exp(-z) / (1 + np.exp(-z)) ** 2)
TANH: Slope = (np.tanh, lambda z: 1 - np.tanh(z) ** 2)
RELU: Slope = (lambda z: np.maximum(z, 0), lambda z: (z > 0) * 1.0)


RATIO = ": layer 0 / layer 29 ="


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


def rounded(number: float, form: str) -> float:
    return float(f"{number:{form}}")


def size(numbers: Array) -> float:
    return float(np.sqrt(np.sum(numbers**2)))


# Depth: each step back is a function from the gradient of a layer's output to that of its input.


def walk_back(grad: Array, steps: list[Callable[[Array], Array]]) -> list[float]:
    """The norm of the gradient at the input of each layer, the first layer first."""
    found = []
    for step in reversed(steps):
        grad = step(grad)
        found.append(size(grad))
    return found[::-1]


@cache
def starts(kaiming: bool) -> list[float]:
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


@cache
def scaled(scale: float) -> list[float]:
    """At the output of each layer: the gradient that the mean gives, times the weights above."""
    draw = Draw()
    for _ in range(30):
        draw.uniform(1, 64, 64)  # what nn.Linear draws and normal_ overwrites
    weights = [draw.normal(64, 64) * scale / 8 for _ in range(30)]
    steps = [lambda grad: grad, *(lambda grad, w=w: grad @ w for w in weights[1:])]
    last = np.full((256, 64), 1 / (256 * 64))
    return [*walk_back(last, steps[1:]), size(last)]


@cache
def activated(name: str, scale: float, rows: int = 256) -> tuple[list[float], float]:
    """The norms, and the factor that the slopes predict; the last layer's is not among them."""
    function, derivative = {"sigmoid": SIGMOID, "tanh": TANH, "relu": RELU}[name]
    draw = Draw()
    h, steps, squares = draw.normal(rows, 64), [], []
    for _ in range(30):
        weight = draw.normal(64, 64) * (scale / 8)
        slope = derivative(h @ weight)
        steps.append(lambda grad, s=slope, w=weight: (grad * s) @ w.T)
        squares.append(scale**2 * np.mean(slope**2))
        h = function(h @ weight)
    return walk_back(draw.normal(rows, 64), steps), float(np.prod(squares[:-1]) ** (1 / 58))


CASES = (("sigmoid", 1.0), ("tanh", 1.0), ("relu", 1.0), ("relu", 2**0.5))


@cache
def connected(through: float, branch: float) -> list[float]:
    """h becomes through h + branch tanh(h W)."""
    draw = Draw()
    h, steps = draw.normal(256, 64), []
    for _ in range(30):
        weight = draw.normal(64, 64) * (0.5 / 8)
        slope = TANH[1](h @ weight)
        steps.append(lambda g, s=slope, w=weight: through * g + branch * (g * s) @ w.T)
        h = through * h + branch * np.tanh(h @ weight)
    return walk_back(draw.normal(256, 64), steps)


WAYS = ((0, 1), (1, 1), (1, 30**-0.5))


@cache
def normalized_by(scale: float, norm: bool) -> list[float]:
    """Linear, LayerNorm (or nothing), ReLU; the gradient of LayerNorm in closed form."""
    draw = Draw()
    h, steps = draw.normal(256, 64), []
    for _ in range(30):
        weight = draw.normal(64, 64) * (scale / 8)
        z = h @ weight
        spread = z.std(1, keepdims=True) if norm else np.ones((256, 1))
        y = (z - z.mean(1, keepdims=True)) / spread if norm else z

        def step(grad: Array, y=y, spread=spread, weight=weight) -> Array:
            grad = grad * (y > 0)
            if norm:
                along = y * (grad * y).mean(1, keepdims=True)
                grad = (grad - grad.mean(1, keepdims=True) - along) / spread
            return grad @ weight.T

        steps.append(step)
        h = RELU[0](y)
    return walk_back(draw.normal(256, 64), steps)


NORMS = ((0.5, False), (2.0, False), (0.5, True), (2.0, True))


def tanh_gain() -> Pairs:
    """As `activations`, with the factor 5/3."""
    pairs: Pairs = []
    for scale in (1.0, 5 / 3):
        norms, _ = activated("tanh", scale)
        draw = Draw()
        h = draw.normal(256, 64)
        for _ in range(30):
            h = np.tanh(h @ (draw.normal(64, 64) * (scale / 8)))
        pairs += [
            ("scale", rounded(scale, ".3f")),
            (RATIO, rounded(norms[0] / norms[29], ".1e")),
            ("outputs beyond 0.9:", rounded(100 * np.mean(abs(h) > 0.9), ".0f")),
        ]
    return pairs


def wider() -> Pairs:
    """The norm of 1 W29 ... W1, a hundred times."""
    draw, pairs = Draw(), []
    for width in (8, 32, 128):
        drops = []
        for _ in range(100):
            grad = np.ones(width)
            for weight in reversed(draw.normal(29, width, width) / width**0.5):
                grad = grad @ weight.T
            drops.append(np.log(size(grad) / width**0.5))
        pairs += [
            ("width", width),
            (": mean of the log", rounded(np.mean(drops), ".2f")),
            (", spread", rounded(np.std(drops, ddof=1), ".2f")),
        ]
    return pairs


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

    def train(self, x: Array, y: Array, lr: float, steps: int) -> Iterator[list]:
        """SGD; gives the gradients before each step, with the step still to be made."""
        for _ in range(steps):
            gradients = self.gradients(x, y)
            yield gradients
            for layer, told in zip(self.layers, gradients, strict=True):
                layer[0], layer[1] = layer[0] - lr * told[0], layer[1] - lr * told[1]


X = torch.linspace(-3, 3, 128, dtype=torch.float64).numpy()[:, None]
Y = np.sin(2 * X)
DEEP = [1, 32, 32, 32, 32, 32, 32, 1]


@cache
def watched(between: str) -> tuple[Array, float]:
    """The norms by layer and step, and how far the outputs differ in the end."""
    net = Net(Draw(), DEEP, {"Sigmoid": SIGMOID, "Tanh": TANH}[between])
    rows = [[size(weight) for weight, _ in told] for told in net.train(X, Y, 0.05, 150)]
    out = net.forward(X)[0]
    return np.array(rows).T, float(out.max() - out.min())


@cache
def passing() -> tuple[Array, list[float]]:
    """The share of inputs that each unit passes, by step; the largest gradient of dead ones."""
    net = Net(Draw(), [1, 32, 32, 1], RELU)
    shares, largest = [], []
    for told in net.train(X, Y, 0.5, 60):
        shares.append((net.forward(X)[2][1] > 0).mean(0))
        largest.append(abs(told[1][0][shares[-1] == 0]).max(initial=0))
    return np.array(shares).T, largest


@cache
def columns() -> tuple[list[Array], Array]:
    """The gradients of one layer as logarithms, and their shares in twenty bins a step."""
    net = Net(Draw(), DEEP, TANH)
    logs = [np.log10(abs(told[1][0])) for told in net.train(X, Y, 0.05, 150)]
    return logs, np.array([np.histogram(log, 20, (-7, -2))[0] / 1024 for log in logs]).T


TRAINED = (("SGD", 0.1), ("SGD", 0.01), ("Adam", 0.001))


@cache
def ratios(kind: str, lr: float) -> list[float]:
    """The update over the weight of the middle layer."""
    net, found = Net(Draw(), [1, 32, 32, 1], TANH), []
    first = [[0.0, 0.0] for _ in range(3)]
    second = [[0.0, 0.0] for _ in range(3)]
    for step in range(1, 101):
        gradients = net.gradients(X, Y)
        before = net.layers[1][0]
        for n, told in enumerate(gradients):
            for k, grad in enumerate(told):
                moved = lr * grad
                if kind == "Adam":
                    first[n][k] = 0.9 * first[n][k] + 0.1 * grad
                    second[n][k] = 0.999 * second[n][k] + 0.001 * grad**2
                    mean, square = first[n][k] / (1 - 0.9**step), second[n][k] / (1 - 0.999**step)
                    moved = lr * mean / (np.sqrt(square) + 1e-8)
                net.layers[n][k] = net.layers[n][k] - moved
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


@cache
def each_sample() -> tuple[Array, Draw]:
    """One row a sample, with the weights and biases of both layers in it."""
    draw = Draw()
    x = draw.normal(512, 8)
    y = x[:, :1] * x[:, 1:2] + draw.normal(512, 1)
    net = Net(draw, [8, 16, 1], TANH)
    rows = [net.gradients(x[n : n + 1], y[n : n + 1]) for n in range(512)]
    return np.array([np.concatenate([p.ravel() for t in row for p in t]) for row in rows]), draw


SIZES = [1, 2, 4, 8, 16, 32, 64, 128, 256]


@cache
def spreads() -> list[float]:
    rows, draw = each_sample()
    full, found = rows.mean(0), []
    for count in SIZES:
        parts = [
            p for _ in range(max(1, count // 4)) for p in draw.shuffled(512).reshape(-1, count)
        ]
        means = np.array([rows[part].mean(0) for part in parts])
        assert np.allclose(means.mean(0), full)
        found.append(float(np.sqrt(((means - full) ** 2).sum(1).mean())))
    return found


@cache
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


@cache
def gaps(over_batch: bool) -> list[float]:
    """BatchNorm normalizes each column over the rows, LayerNorm each row over the columns."""
    draw = Draw()
    x = draw.normal(512, 8)
    y = x[:, :1] * x[:, 1:2] + draw.normal(512, 1)
    draw, axis = Draw(1), 0 if over_batch else 1
    (first, first_bias), (last, last_bias) = draw.layer(8, 16), draw.layer(16, 1)

    def gradient(count: int) -> Array:
        total = np.zeros(0)
        for at in range(0, 512, count):
            part, target = x[at : at + count], y[at : at + count]
            z = part @ first.T + first_bias
            spread = np.sqrt(z.var(axis, keepdims=True) + 1e-5)
            n = (z - z.mean(axis, keepdims=True)) / spread
            h = np.tanh(n)
            out = 2 * (h @ last.T + last_bias - target) / 512
            inner = (out @ last) * (1 - h**2)
            along = n * (inner * n).mean(axis, keepdims=True)
            back = (inner - inner.mean(axis, keepdims=True) - along) / spread
            told = [back.T @ part, back.sum(0), (inner * n).sum(0), inner.sum(0), out.T @ h]
            found = np.concatenate([*(t.ravel() for t in told), out.sum(0)])
            total = found if not total.size else total + found
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
        (LAYERS, np.divide(activated("relu", 1.0, 64)[0], activated("relu", 1.0, 64)[0][29])),
        (LAYERS[[0, 29]], np.ones(2)),
    ],
    "activations": lambda: [(LAYERS, activated(*case)[0]) for case in CASES],
    "residual": lambda: [(LAYERS, connected(*way)) for way in WAYS],
    "normalized": lambda: [(LAYERS, normalized_by(*norm)) for norm in NORMS],
    "cloud": lambda: [dots()[0][:100].T, np.array([[0, 0], dots()[1]]).T],
    "spread": lambda: [(SIZES, spreads()), (SIZES, spreads()[0] / np.sqrt(SIZES))],
    "noise_scale": lambda: [(np.arange(0, 101, 20), scales())],
    "batch_norm_gap": lambda: [(SIZES[1:], gaps(True)), (SIZES[1:], gaps(False))],
    "update_ratio": lambda: [(STEPS, ratios(*kind)) for kind in TRAINED],
}
MAPS: dict[str, Callable[[], list[tuple[Array, float, float]]]] = {
    "heat_map": lambda: [(np.log10(watched(name)[0]), -6, 0) for name in ("Sigmoid", "Tanh")],
    "dead_relu": lambda: [(passing()[0], 0, 1)],
    "histogram": lambda: [(columns()[1], 0, columns()[1].max())],
}
