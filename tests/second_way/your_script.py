"""The numbers of `snippets/your_script/`, found without autograd."""

import numpy as np
import torch

from second_way import Pairs, rounded, slope


def doctor() -> Pairs:
    """Plain steps of the last layer alone; the layer before it stays as it was drawn."""
    x, target = np.array([[0, 1], [1, 0], [1, 1]]), np.array([[1], [1], [0]])
    seed = torch.Generator().manual_seed(0)
    shapes = [((3, 2), 2), ((3,), 2), ((3, 3), 3), ((3,), 3), ((1, 3), 3), ((1,), 3)]
    drawn = [torch.empty(s).uniform_(-(n**-0.5), n**-0.5, generator=seed) for s, n in shapes]
    first, first_bias, _, _, last, last_bias = (p.double().numpy() for p in drawn)
    code = np.tanh(x @ first.T + first_bias)

    def loss(weight: np.ndarray, bias: np.ndarray) -> float:
        return np.mean((code @ weight.T + bias - target) ** 2)

    pairs, norms, moves = [], [], []
    for step in range(3):
        pairs += [("step", step), ("loss:", loss(last, last_bias))]
        for_last = slope(lambda w, b=last_bias: loss(w, b), last)
        for_bias = slope(lambda b, w=last: loss(w, b), last_bias)
        norms.append(np.linalg.norm(for_last))
        moves.append(0.5 * norms[-1] / np.linalg.norm(last))
        last, last_bias = last - 0.5 * for_last, last_bias - 0.5 * for_bias
    layer = [rounded(np.median(norms), ".2e"), rounded(np.median(moves), ".1e")]
    return [*pairs, ("net.head.weight", layer)]
