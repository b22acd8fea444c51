"""The numbers of `snippets/nan_and_inf/`, found without autograd."""

import numpy as np

from second_way.tools import Pairs, slope

INF, NAN = np.inf, np.nan
ONE, ZERO = np.float32(1), np.float32(0)
QUIET = {"divide": "ignore", "invalid": "ignore", "over": "ignore"}


def births() -> Pairs:
    """The same in float32 of NumPy."""
    with np.errstate(**QUIET):
        nan = ZERO / ZERO
        return [
            ("1 / 0:", ONE / ZERO),
            ("log of 0:", np.log(ZERO)),
            ("exp of 100:", np.exp(np.float32(100))),
            ("0 / 0:", nan),
            ("inf - inf:", np.float32(INF) - np.float32(INF)),
            ("0 * inf:", ZERO * np.float32(INF)),
            ("log of -1:", np.log(-ONE)),
            ("nan + 1:", nan + 1),
            ("relu of nan:", np.maximum(nan, 0)),
            ("nan clamped to 0, 1:", np.clip(nan, 0, 1)),
            ("nan == nan:", bool(nan == nan)),
            ("inf.isnan():", bool(np.isnan(INF))),
            ("inf.isfinite():", bool(np.isfinite(INF))),
        ]


def which_step() -> Pairs:
    """w - 4 w^3 in float32, rounded to two digits as the script does."""
    w, pairs = ONE, []
    with np.errstate(**QUIET):
        for step in range(1, 7):
            loss, gradient = w**4, 4 * w**3
            w = w - gradient
            pairs += [("step", step), (", loss:", short(loss)), ("gradient:", short(gradient))]
            pairs += [("new w:", short(w))]
    return pairs


def short(x: float) -> float:
    return float(f"{x:.2g}")


def bisect_backward() -> Pairs:
    """What follows the slopes of sqrt and of the square, in this order."""
    x = np.array([0.0, 4.0])
    with np.errstate(**QUIET):
        root = np.ones(2)
        square = root / (2 * np.sqrt(x * x))
        pairs: Pairs = [("loss:", np.sum(np.sqrt(x * x) + 1))]
        for name, g in (("root:", root), ("square:", square), ("x:", square * 2 * x)):
            pairs += [("gradient at " + name, g), ("finite:", bool(np.isfinite(g).all()))]
        return pairs


def where_eps_goes() -> Pairs:
    return [
        ("inside:", np.sqrt(1e-8)),
        ("outside:", 1e-8),
        ("clamped_above:", np.sqrt(1e-8)),
        ("x.grad:", slope(lambda x: np.sqrt(np.maximum(x, 1e-8)), 0.0, h=1e-12)),
    ]


def angle() -> Pairs:
    """Of (1, 0) with b; the clamped one doesn't move."""
    return [
        ("by_acos:", np.arccos(1.0)),
        ("by_clamped_acos:", np.arccos(1 - 1e-4)),
        ("by_atan2:", 0),
        ("b.grad:", slope(lambda b: np.arctan2(b[1], b[0]), [2.0, 0.0])),
    ]


def log_of_softmax() -> Pairs:
    """Infinite slope of the logarithm; without the probability, p - (0, 1)."""
    p = np.exp(np.float32(-90))
    with np.errstate(**QUIET):
        upstream = np.array([0, -ONE / p])
        total = p * upstream[1]
        gradient = np.array([1, p]) * (upstream - total)
    return [("scores.grad:", gradient)]


def lse(x: np.ndarray) -> float:
    return x.max() + np.log(np.exp(x - x.max()).sum())


def log_sum_exp() -> Pairs:
    g = slope(lse, [88.0, 89.0])
    value = lse(np.array([88.0, 89.0]))
    return [
        ("exp(88):", float(np.exp(np.float32(88)))),
        ("shifted:", value),
        ("x.grad:", g),
        ("x.grad:", g),
    ]


def binary() -> Pairs:
    """The loss log(1 + e^60); of the probability, the gradient divided by 1e-12 instead of p."""

    def loss(score):
        return np.logaddexp(0, -score)

    def rounded(x):
        return float(f"{x:.3e}")

    return [
        ("by_log, loss:", loss(-60.0)),
        ("by_probability, loss:", loss(-60.0)),
        ("with_logits, loss:", loss(-60.0)),
    ]


def a_little_more() -> Pairs:
    def loss(low):
        p = np.exp(low) / (1 + np.exp(low))
        return -np.log(p + 1e-8)

    pairs: Pairs = []
    for low in (-5.0, -30.0):
        pairs += [("score", low), (", loss:", loss(low)), ("gradient:", slope(loss, low))]
    return [*pairs, ("1e-8 in float16:", np.float16(1e-8))]


def log_of_zero() -> Pairs:
    """The slope of -log p is -1 / p; below the bound the clamped loss is flat."""
    with np.errstate(**QUIET):
        p = np.array([0, 0.5], np.float32)
        infinite, by_p = -np.log(p).sum(), -1 / p

    def clamped(p):
        return -np.log(np.maximum(p, 1e-6)).sum()

    return [
        ("p, loss:", infinite),
        ("p.grad:", by_p),
        ("clamped, loss:", clamped(p)),
        ("p.grad:", slope(clamped, p, h=1e-7)),
    ]


def adam(w: float, gradients: list[float]) -> list[tuple[float, float]]:
    """Of each step: the weight and the first moment."""
    m, v, rows = 0.0, 0.0, []
    for t, g in enumerate(gradients, 1):
        m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g**2
        w -= 0.1 * (m / (1 - 0.9**t)) / (np.sqrt(v / (1 - 0.999**t)) + 1e-8)
        rows.append((w, m))
    return rows


def adam_after_nan() -> Pairs:
    gradients, pairs = [1.0, NAN, 1.0], []
    for g, (w, m) in zip(gradients, adam(1.0, gradients), strict=True):
        pairs += [("gradient", g), ("w:", w), ("exp_avg:", m)]
    return [*pairs, ("w put back, one more step, w:", NAN)]


def scaler_skips() -> Pairs:
    (one, _), (two, _) = adam(1.0, [1.0, 1.0])
    scale, pairs = 1024.0, []
    for g, w in ((1, one), (NAN, one), (NAN, one), (NAN, one), (1, two)):
        scale = scale / 2 if np.isnan(g) else scale
        pairs += [("slope", g), ("w:", w), ("scale:", scale)]
    return pairs


def review_solution() -> Pairs:
    a = np.ones(2)
    g = slope(lambda s: lse(s) - s[0], a)
    return [("loss:", np.log(2)), ("a:", a - 0.1 * np.sign(g))]
