"""The numbers of `snippets/your_script/`, found without autograd."""

import numpy as np
import torch

from second_way.tools import Pairs, mse, slope

X, TARGET = np.array([[0, 1], [1, 0], [1, 1]]), [[1], [1], [0]]
SHAPES = [(3, 2), (3,), (1, 3), (1,)]


def drawn() -> list[np.ndarray]:
    """What nn.Linear begins with: between -1/sqrt(n) and 1/sqrt(n) for n inputs."""
    seed = torch.Generator().manual_seed(0)
    bounds = [2**-0.5, 2**-0.5, 3**-0.5, 3**-0.5]
    pairs = zip(SHAPES, bounds, strict=True)
    return [torch.empty(s).uniform_(-b, b, generator=seed).double().numpy() for s, b in pairs]


def loss(parameters: list[np.ndarray]) -> np.ndarray:
    """Two layers with tanh between them, and the mean of the squares."""
    first, first_bias, last, last_bias = parameters
    return mse(np.tanh(X @ first.T + first_bias) @ last.T + last_bias, TARGET)


def gradients(parameters: list[np.ndarray]) -> list[np.ndarray]:
    """Finite differences, one parameter after the other."""

    def with_one(place: int, value: np.ndarray) -> np.ndarray:
        return loss([value if n == place else p for n, p in enumerate(parameters)])

    return [slope(lambda v, n=n: with_one(n, v), p) for n, p in enumerate(parameters)]


def training() -> Pairs:
    """Adam's first step is 0.1 g / (|g| + 1e-8)."""
    start = drawn()
    moved = [p - 0.1 * g / (abs(g) + 1e-8) for p, g in zip(start, gradients(start), strict=True)]
    return [
        (", loss:", loss(start)),
        (", loss:", loss(moved)),
        ("last layer, weight.grad:", gradients(moved)[2]),
    ]


def doctor() -> Pairs:
    """Plain steps of the last layer alone; the layer before it stays as it was drawn."""
    seed = torch.Generator().manual_seed(0)
    shapes = [((3, 2), 2), ((3,), 2), ((3, 3), 3), ((3,), 3), ((1, 3), 3), ((1,), 3)]
    drawn = [torch.empty(s).uniform_(-(n**-0.5), n**-0.5, generator=seed) for s, n in shapes]
    first, first_bias, _, _, last, last_bias = (p.double().numpy() for p in drawn)
    code = np.tanh(X @ first.T + first_bias)
    losses, norms, moves = [], [], []
    for _ in range(3):
        losses.append(mse(code @ last.T + last_bias, TARGET))
        for_last = slope(lambda w, b=last_bias: mse(code @ w.T + b, TARGET), last)
        for_bias = slope(lambda b, w=last: mse(code @ w.T + b, TARGET), last_bias)
        norms.append(np.linalg.norm(for_last))
        moves.append(0.5 * norms[-1] / np.linalg.norm(last))
        last, last_bias = last - 0.5 * for_last, last_bias - 0.5 * for_bias
    layer = [float(f"{np.median(norms):.2e}"), float(f"{np.median(moves):.1e}")]
    return [
        *(pair for step in range(3) for pair in (("step", step), ("loss:", losses[step]))),
        ("net.head.weight", layer),
    ]
