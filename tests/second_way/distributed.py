"""The numbers of `snippets/distributed/`, found without autograd and in one process."""

import numpy as np

from second_way.tools import Pairs, mse, sgd, slope

X = np.array([1.0, 2, 3, 4])
TARGET = 2 * X + 1
HALVES = slice(0, 2), slice(2, 4)
"""The samples of rank 0 and of rank 1."""


def gradient(part: slice, w: float = 1.0) -> np.ndarray:
    """The gradient of the mean squared error of w x, over some of the samples."""
    return slope(lambda w: mse(w * X[part], TARGET[part]), w)


def averaged() -> Pairs:
    """The mean of equal halves is the gradient of the whole batch, which one step follows."""
    whole = gradient(slice(0, 4))
    return [
        pair
        for rank, half in enumerate(HALVES)
        for pair in (
            ("rank", rank),
            ("own", gradient(half)),
            (".grad", whole),
            ("w", sgd(1, whole, lr=0.05)),
        )
    ]


def unequal() -> Pairs:
    """1 and 3 samples: the mean of their means, half of the sum over all, the mean over all."""
    one, three = gradient(slice(0, 1)), gradient(slice(1, 4))
    return [
        pair
        for rank in (0, 1)
        for pair in (
            ("rank", rank),
            ("of", 4),
            ("samples", (1, 3)[rank]),
            ("mean", (one + three) / 2),
            ("sum", (one + 3 * three) / 2),
            ("right", gradient(slice(0, 4))),
        )
    ]


def single(w: float = 1.0) -> np.ndarray:
    """The gradient of each sample alone, divided by the two micro-batches of its rank."""
    return np.array([gradient(slice(n, n + 1), w) for n in range(4)]).ravel() / 2


def no_sync() -> Pairs:
    """The first stays with its rank; then the sums of both ranks are averaged."""
    parts = single().reshape(2, 2)
    return [
        pair
        for rank in (0, 1)
        for pair in (
            ("rank", rank),
            ("after one", parts[rank, 0]),
            ("after both", parts.sum(1).mean()),
        )
    ]


def forward_outside() -> Pairs:
    """The firsts are averaged, and added to each second these are averaged once more."""
    parts = single().reshape(2, 2)
    first = parts[:, 0].mean()
    return [
        pair
        for rank in (0, 1)
        for pair in (
            ("rank", rank),
            ("after one", first),
            ("after both", (first + parts[:, 1]).mean()),
        )
    ]


def flag_between() -> Pairs:
    """The mean of all four; or the mean of the first, and the own second."""
    parts = single().reshape(2, 2)
    late = parts[:, 0].mean()
    pairs: Pairs = []
    for after_one, after_both in (
        (parts[:, 0], [parts.sum(1).mean()] * 2),
        ([late] * 2, late + parts[:, 1]),
    ):
        for rank in (0, 1):
            pairs += [("rank", rank), ("after one", after_one[rank])]
            pairs += [("after both", after_both[rank])]
            pairs += [("w", sgd(1, after_both[rank], lr=0.05))]
    return pairs


def clip() -> Pairs:
    """(6, 0) and (0, 8): their mean, clipped to length 1; the mean of both clipped to it."""
    each = np.array([[6.0, 0], [0, 8]])
    mean = each.mean(0)
    norm = np.sqrt((mean**2).sum())
    lengths = np.sqrt((each**2).sum(1, keepdims=True))
    return [
        pair
        for rank in (0, 1)
        for pair in (
            ("rank", rank),
            ("norm", norm),
            ("clipped", mean / norm),
            ("each alone", (each / lengths).mean(0)),
        )
    ]


def sharded() -> Pairs:
    """3 and 4 times the mean of (6, 0) and (0, 8): a row each, clipped by the whole norm."""
    whole = np.outer([3.0, 4], np.array([[6.0, 0], [0, 8]]).mean(0))
    norm = np.sqrt((whole**2).sum())
    return [
        pair
        for rank, row in enumerate(whole)
        for pair in (
            ("rank", rank),
            ("DDP", whole),
            ("full_tensor()", whole),
            ("rank", rank),
            ("post-accumulate hook", row),
            ("rank", rank),
            ("norm()", np.sqrt((row**2).sum())),
            ("clip_grad_norm_", norm),
            ("clipped", row * 5 / norm),
        )
    ]
