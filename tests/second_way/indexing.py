"""The numbers of `snippets/indexing/`, found without autograd."""

import numpy as np

from second_way.tools import HEADING, Pairs, slope

EXCEPTIONS = {
    ("soft_rank", "element 0 of tensors"): "a message",
    ("padding", "padding_idx 0"): "an argument",
    ("no_slope", "x > 2: requires"): "the name of a line",
    ("no_slope", "(x > 2).float(): requires"): "the name of a line",
}


def softmax(scores: np.ndarray) -> np.ndarray:
    return np.exp(scores) / np.sum(np.exp(scores))


def no_slope() -> Pairs:
    """Sums of what is computed from x, moved a little: a step of a staircase doesn't change."""
    x = np.array([1.2, 3.7, 2.6])
    return [
        ("x.round(): gradient", slope(lambda x: np.sum(np.round(x)), x)),
        ("x.sign(): gradient", slope(lambda x: np.sum(np.sign(x)), x)),
        ("x.max(): gradient", slope(np.max, x)),
        ("x[x > 2]", HEADING),
        (": gradient", slope(lambda x: np.sum(x[x > 2]), x)),
        ("x * (x > 2)", HEADING),
        (": gradient", slope(lambda x: np.sum(x * (x > 2)), x)),
    ]


def new_tensor() -> Pairs:
    """3 w[0] + 5 w[1]."""
    gradient = slope(lambda w: 3 * w[0] + 5 * w[1], [1, 2])
    return [("torch.stack:", True), ("w.grad:", gradient), ("torch.tensor:", False)]


def count_hits() -> Pairs:
    """The mean of log(1 + exp(-s w x)), s being 1 or -1, at w = 1."""
    x, sign = np.array([-2, -0.5, 1]), np.array([-1, 1, 1])

    def loss(w):
        return np.mean(np.log1p(np.exp(-sign * w * x)))

    return [
        ("accuracy:", np.mean((x > 0) == (sign > 0))),
        ("accuracy requires a gradient:", False),
        ("cross entropy:", loss(1.0)),
        ("w.grad:", slope(loss, 1.0)),
    ]


VALUES, SCORES = np.array([10.0, 20, 40]), np.array([1.0, 2, 0])


def soft_choice() -> Pairs:
    """softmax(scores) @ values."""
    return [
        ("weights:", softmax(SCORES)),
        ("chosen:", softmax(SCORES) @ VALUES),
        ("scores.grad:", slope(lambda s: softmax(s) @ VALUES, SCORES)),
    ]


def hard_choice() -> Pairs:
    """The value of the largest score, and the gradient of the soft choice."""
    return [
        ("weights:", np.array([0, 1, 0])),
        ("chosen:", VALUES[np.argmax(SCORES)]),
        ("scores.grad:", slope(lambda s: softmax(s) @ VALUES, SCORES)),
    ]


PLACES, SHARES = np.array([2, 0, 2]), np.array([1.0, 10, 100])


def picked() -> Pairs:
    """SHARES @ x[PLACES] at x = (1, 2, 3)."""
    x = np.array([1.0, 2, 3])
    return [("y:", x[PLACES]), ("x.grad:", slope(lambda x: SHARES @ x[PLACES], x))]


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


def padding() -> Pairs:
    """How often each of three words is read; the word of the padding doesn't count."""
    words = np.array([2, 1, 1, 0, 0])
    often = slope(lambda table: np.sum(table[words]), np.ones(3))
    rows = np.ones(5)
    return [
        ("rows:", rows),
        ("gradient:", often),
        ("rows:", rows),
        ("gradient:", often * [0, 1, 1]),
    ]


def sorted_back() -> Pairs:
    """(1, 10, 100) @ sorted(x) at x = (3, 1, 1.5)."""
    x, weights = np.array([3, 1, 1.5]), np.array([1.0, 10, 100])
    return [
        ("sorted:", np.sort(x)),
        ("places:", np.argsort(x)),
        ("x.grad:", slope(lambda x: weights @ np.sort(x), x)),
        ("places require a gradient:", False),
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


def equal_values() -> Pairs:
    """All of it to the first or to the last of those that are equal, or a part to each."""
    equal = np.array([1.0, 0, 1])
    first, last, shared = np.array([1.0, 0, 0]), np.array([0.0, 0, 1]), equal / equal.sum()
    gradients = {
        "max(dim):": first,
        "topk:": first,
        "sort():": last,
        "sort(descending=True):": first,
        "amax():": shared,
        "max():": shared,
        "median(dim):": first,
        "kthvalue:": first,
        "median():": shared,
    }
    pairs: Pairs = []
    for name, gradient in gradients.items():
        pairs += [(name, 2.0), (", gradient", gradient)]
    return pairs


def soft_rank() -> Pairs:
    """The squared distance of the soft ranks from (2, 0, 1)."""
    x, wanted = np.array([3, 1, 0.5]), np.array([2.0, 0, 1])

    def ranks(x):
        return np.sum(1 / (1 + np.exp(x[None, :] - x[:, None])), axis=1) - 0.5

    return [
        ("ranks:", np.array([2, 1, 0])),
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


def complex_slope() -> Pairs:
    """The real part of (1 - 2i) w at w = 1 + 2i, by its real and its imaginary part."""
    right, up = slope(lambda w: ((1 - 2j) * complex(*w)).real, [1, 2])
    return [
        ("along the real axis:", right),
        ("along the imaginary axis:", up),
        ("w.grad, real part:", right),
        ("w.grad, imaginary part:", up),
    ]


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


def complex_loss() -> Pairs:
    """|w| squared, and the real part of w, at w = 3 + 4i."""
    squared = slope(lambda w: w[0] ** 2 + w[1] ** 2, [3, 4])
    real = slope(lambda w: w[0], [3, 4])
    return [
        ("from abs() squared:", squared[0]),
        ("+", squared[1]),
        ("from real:", real[0]),
        ("+", real[1]),
        ("from float():", real[0]),
        ("+", real[1]),
    ]


def wrong_sign() -> Pairs:
    """The real part of a w after a step with lr = 0.1 along the slope, or its conjugate."""
    a, w = 1 - 2j, 1 + 2j
    gradient = complex(*slope(lambda w: (a * complex(*w)).real, [1, 2]))
    return [
        ("loss:", (a * w).real),
        ("after w - 0.1 * grad:", (a * (w - 0.1 * gradient)).real),
        ("after w - 0.1 * grad.conj():", (a * (w - 0.1 * gradient.conjugate())).real),
    ]


def review_problem() -> Pairs:
    """The first of two equal scores, written twice to one place; its gradient comes back twice."""
    first = 4.0
    return [
        ("total:", np.array([0, first])),
        ("values.grad:", np.array([2, 0])),
        ("scores.grad:", None),
    ]


def review_solution() -> Pairs:
    """Twice the mixture of (4, 8) by the softmax of (0, 0)."""
    scores, values = np.zeros(2), np.array([4.0, 8])
    return [
        ("total:", np.array([0, 2 * softmax(scores) @ values])),
        ("values.grad:", slope(lambda v: 2 * softmax(scores) @ v, values)),
        ("scores.grad:", slope(lambda s: 2 * softmax(s) @ values, scores)),
    ]


def real_times_complex() -> Pairs:
    """The real part of (a + bi)(1 + 2i) is a - 2b: along the real axis, and in both directions."""
    right, up = slope(lambda z: ((z[0] + 1j * z[1]) * (1 + 2j)).real, [3.0, 0])
    return [
        ("x real, x.grad:", right),
        ("warnings:", 0),
        ("z complex, z.grad:", right),
        ("-", -up),
    ]
