"""The numbers of `snippets/indexing/`, found without autograd."""

import numpy as np

from second_way.tools import HEADING, Pairs, slope


def softmax(scores: np.ndarray) -> np.ndarray:
    return np.exp(scores) / np.sum(np.exp(scores))


def no_slope() -> Pairs:
    """Sums of what is computed from x, moved a little: a step of a staircase doesn't change."""
    x = np.array([1.2, 3.7, 2.6])
    return [
        ("x.round(): gradient", slope(lambda x: np.sum(np.round(x)), x)),
        ("x.sign(): gradient", slope(lambda x: np.sum(np.sign(x)), x)),
        ("x.max(): gradient", slope(np.max, x)),
        (": gradient", slope(lambda x: np.sum(x[x > 2]), x)),
        (": gradient", slope(lambda x: np.sum(x * (x > 2)), x)),
    ]


def count_hits() -> Pairs:
    """The mean of log(1 + exp(-s w x)), s being 1 or -1, at w = 1."""
    x, sign = np.array([-2, -0.5, 1]), np.array([-1, 1, 1])

    def loss(w):
        return np.mean(np.log1p(np.exp(-sign * w * x)))

    return [
        ("accuracy:", np.mean((x > 0) == (sign > 0))),
        ("cross entropy:", loss(1.0)),
        ("w.grad:", slope(loss, 1.0)),
    ]


VALUES, SCORES = np.array([10.0, 20, 40]), np.array([1.0, 2, 0])


def soft_choice() -> Pairs:
    """softmax(scores) @ values."""
    return [
        ("weights:", softmax(SCORES)),
        ("scores.grad:", slope(lambda s: softmax(s) @ VALUES, SCORES)),
    ]


PLACES, SHARES = np.array([2, 0, 2]), np.array([1.0, 10, 100])


def picked() -> Pairs:
    """SHARES @ x[PLACES] at x = (1, 2, 3)."""
    x = np.array([1.0, 2, 3])
    return [("x.grad:", slope(lambda x: SHARES @ x[PLACES], x))]


def written(shares: np.ndarray, add: bool) -> np.ndarray:
    """Three zeros, at PLACES of which the shares are written, or added, one after the other."""
    x = np.zeros(3)
    for place, share in zip(PLACES, shares, strict=True):
        x[place] = x[place] + share if add else share
    return x


def add_at() -> Pairs:
    """Written one after the other, then added three times."""
    added = written(SHARES, add=True)
    return [
        ("written with +=:", written(SHARES, add=False)),
        ("index_add_:", added),
        ("index_put_, accumulate=True:", added),
        ("scatter_add_:", added),
    ]


def overwritten() -> Pairs:
    """The gradient that is read back is one for each share; the sum says who stayed."""
    pairs: Pairs = []
    for name, add in (("scatter:", False), ("scatter_add:", True)):
        y = written(SHARES, add)
        up = np.sum(written(SHARES + np.array([0.5, 0, 0]), add)) - np.sum(y)
        pairs += [(name, y), ("v.grad:", np.ones(3)), ("v[0] up by 0.5, sum up by:", up)]
    return pairs


def sorted_back() -> Pairs:
    """(1, 10, 100) @ sorted(x) at x = (3, 1, 1.5)."""
    x, weights = np.array([3, 1, 1.5]), np.array([1.0, 10, 100])
    return [
        ("sorted:", np.sort(x)),
        ("places:", np.argsort(x)),
        ("x.grad:", slope(lambda x: weights @ np.sort(x), x)),
    ]


def in_the_middle() -> Pairs:
    """Sorted, the k-th of four numbers, or the middle between two of them."""
    x = np.array([4.0, 1, 3, 2])
    ways = {
        "topk:": lambda x: np.sort(x)[:1:-1],
        "kthvalue:": lambda x: np.sort(x)[2],
        "median():": lambda x: np.sort(x)[1],
        "quantile:": np.median,
    }
    pairs: Pairs = []
    for name, f in ways.items():
        pairs += [(name, f(x)), ("gradient:", slope(lambda x, f=f: np.sum(f(x)), x))]
    return pairs


def soft_rank() -> Pairs:
    """The squared distance of the soft ranks from (2, 0, 1)."""
    x, wanted = np.array([3, 1, 0.5]), np.array([2.0, 0, 1])

    def ranks(x):
        return np.sum(1 / (1 + np.exp(x[None, :] - x[:, None])), axis=1) - 0.5

    return [
        ("soft ranks:", ranks(x)),
        ("x.grad:", slope(lambda x: np.sum((ranks(x) - wanted) ** 2), x)),
    ]


PIXELS = np.array([10.0, 20, 40, 80])


def read_at(place: float, pixels: np.ndarray) -> float:
    """Each pixel is weighted by how near it is; those farther than one pixel count nothing."""
    return np.sum(np.maximum(0, 1 - np.abs(place - np.arange(4))) * pixels)


def sampled(f, place: float, first: str) -> Pairs:
    """What is read, and its slopes by the pixels and by the place."""
    return [
        (first, f(place, PIXELS)),
        ("pixels.grad:", slope(lambda pixels: f(place, pixels), PIXELS)),
        ("place.grad:", slope(lambda place: f(place, PIXELS), place)),
    ]


def between_pixels() -> Pairs:
    """Between the pixels 1 and 2."""
    return sampled(read_at, 1.25, "value:")


def which_mode() -> Pairs:
    """Weighted, and the closest one."""
    closest = sampled(lambda place, pixels: pixels[round(float(place))], 1.25, "nearest: value")
    return sampled(read_at, 1.25, "bilinear: value") + closest


def outside() -> Pairs:
    """Nothing, the pixel at the edge, or the place on the other side of the edge."""
    ways = {
        "zeros: value": read_at,
        "border: value": lambda place, pixels: read_at(np.clip(place, 0, 3), pixels),
        "reflection: value": lambda place, pixels: read_at(np.abs(place), pixels),
    }
    return [pair for first, f in ways.items() for pair in sampled(f, -1.5, first)]


def corners() -> Pairs:
    """The coordinate 0.4 as a pixel, from center to center or from edge to edge."""
    centers = lambda x: read_at((x + 1) / 2 * 3, PIXELS)  # noqa: E731
    edges = lambda x: read_at((x + 1) / 2 * 4 - 0.5, PIXELS)  # noqa: E731
    pairs: Pairs = []
    for f in (centers, edges, edges):
        pairs += [("value:", f(0.4)), ("x.grad:", slope(f, 0.4))]
    return pairs


def complex_descent() -> Pairs:
    """The squared distance to (1, 2) from (3, 6), two steps with lr = 0.25."""

    def distance(w):
        return (w[0] - 1) ** 2 + (w[1] - 2) ** 2

    w, pairs = np.array([3.0, 6]), []
    for _ in range(2):
        gradient = slope(distance, w)
        pairs += [("loss:", distance(w)), ("w.grad:", gradient[0]), ("+", gradient[1])]
        pairs += [("as two:", HEADING)]
        pairs += [("tensor(", gradient[0]), ("tensor(", gradient[1])]
        w = w - 0.25 * gradient
        pairs += [
            ("w:", w[0]),
            ("+", w[1]),
            ("as two:", HEADING),
            ("tensor(", w[0]),
            ("tensor(", w[1]),
        ]
    return pairs
