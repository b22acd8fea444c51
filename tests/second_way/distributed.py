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


def by_hand() -> Pairs:
    """The same, with both halves in one process."""
    return [
        ("rank 0, own gradient:", gradient(HALVES[0])),
        ("rank 1, own gradient:", gradient(HALVES[1])),
        ("rank 0, averaged:", gradient(slice(0, 4))),
        ("rank 1, averaged:", gradient(slice(0, 4))),
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


def sharded_wait() -> Pairs:
    """Half of four rows, or all of them; the mean of 1 + 3 and 5 + 7."""
    return [
        pair
        for first in (2, 4)
        for rank in (0, 1)
        for pair in (
            ("rank", rank),
            ("rows held", [first, 2]),
            ("at the end", [(1 + 3 + 5 + 7) / 2] * 2),
        )
    ]


def hooks() -> Pairs:
    """Both hooks have the gradient of their rank; after the backward pass there is the mean."""
    return [
        pair
        for rank, half in enumerate(HALVES)
        for pair in (
            ("rank", rank),
            ("tensor hook", gradient(half)),
            ("post-accumulate hook", gradient(half)),
            ("after backward", gradient(slice(0, 4))),
        )
    ]


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


def unused() -> Pairs:
    """The gradient of a head is the input, 2 or 6; that of the other head is missing."""
    return [("rank", 0), (":", 2), ("rank", 1), ("None,", 6)]


def find_unused() -> Pairs:
    """The mean of an input and 0, in both."""
    return [("rank", 0), (":", 1), (",", 3), ("rank", 1), (":", 1), (",", 3)]


def twice() -> Pairs:
    """w * w * x at 1: 2 x, averaged; or x averaged, and another x of the own process added."""
    x = np.array([1.0, 3])
    both = slope(lambda w: (w * w * x).mean(), 1.0)
    return [
        pair
        for rank in (0, 1)
        for pair in (
            ("rank", rank),
            ("not reentrant:", both),
            ("rank", rank),
            ("rank", rank),
            ("reentrant, alone:", x.mean() + x[rank]),
            ("rank", rank),
        )
    ]


def fewer_batches() -> Pairs:
    """1 and 3, then 4 and nothing: each sum is halved."""
    return [
        ("rank", 0),
        ("x", 1),
        (".grad", (1 + 3) / 2),
        ("rank", 0),
        ("x", 4),
        (".grad", (4 + 0) / 2),
        ("rank", 0),
        ("rank", 1),
        ("x", 3),
        (".grad", (1 + 3) / 2),
        ("rank", 1),
        ("batches,", 2),
    ]


def joined() -> Pairs:
    """Each step of rank 0 follows the sum over those who began, or over those who are left."""
    pairs: Pairs = []
    for last in ((4 + 0) / 2, 4 / 1, None):
        first = (1 + 3) / 2
        once, twice = 10 - first, 10 - first - (last or 0)
        pairs += [("rank", 0), (".grad", first), ("w", once)]
        if last:
            pairs += [(".grad", last), ("w", twice), ("join, w", twice)]
        pairs += [("\nrank" if last else "ranks.\nrank", 1), (".grad", first), ("w", once)]
        pairs += [("join, w", twice)] if last else [("Rank", 1)]
    return pairs


def next_epoch() -> Pairs:
    """The steps of rank 0, m g1 + g2, are given to both; what each remembers of them isn't."""
    pairs: Pairs = []
    for rank in (0, 1):
        for momentum in (0.0, 0.5):
            one = (1 + 3) / 2
            two = momentum * one + (4 + 0) / 2
            w = 10 - one - two
            remembered = (two, one)[rank]
            pairs += [("rank", rank), ("momentum", momentum), ("join, w", w), (".grad", one)]
            pairs += [("w", w - (momentum * remembered + one))]
    return pairs


def same_number() -> Pairs:
    """Every second of five, filled up from the beginning, or cut."""
    return [("rank", 0), ("rank", 1), ("rank", 0), ("rank", 1)]


def review_problem() -> Pairs:
    """Each step follows the own mean; .grad then is the mean of both means."""
    own = [gradient(slice(0, 1)), gradient(slice(1, 4))]
    return [
        pair
        for rank in (0, 1)
        for pair in (
            ("rank", rank),
            ("w", sgd(1, own[rank], lr=0.05)),
            (".grad", (own[0] + own[1]) / 2),
        )
    ]
