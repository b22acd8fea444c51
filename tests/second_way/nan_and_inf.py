"""The numbers of `snippets/nan_and_inf/`, found without autograd."""

import numpy as np

from second_way import Pairs, rounded, slope

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
            pairs += [("step", step), (", loss:", rounded(loss, ".2g"))]
            pairs += [("gradient:", rounded(gradient, ".2g")), ("new w:", rounded(w, ".2g"))]
    return pairs


def angle() -> Pairs:
    """Of (1, 0) with b; the clamped one doesn't move."""
    return [
        ("by_acos:", np.arccos(1.0)),
        ("by_clamped_acos:", np.arccos(1 - 1e-4)),
        ("by_atan2:", 0),
        ("b.grad:", slope(lambda b: np.arctan2(b[1], b[0]), [2.0, 0.0])),
    ]


def lse(x: np.ndarray) -> float:
    """log(sum of exp), the largest taken out."""
    return x.max() + np.log(np.exp(x - x.max()).sum())


def log_sum_exp() -> Pairs:
    """Of (88, 89), whose exp is beyond float32."""
    gradient = slope(lse, [88.0, 89.0])
    largest = float(np.exp(np.float32(88)))
    value = lse(np.array([88.0, 89.0]))
    return [("exp(88):", largest), ("shifted:", value), *(2 * [("x.grad:", gradient)])]


def binary() -> Pairs:
    """The loss log(1 + e^60), in three ways."""
    ways = ("by_log", "by_probability", "with_logits")
    return [(f"{way}, loss:", np.logaddexp(0, 60)) for way in ways]


def a_little_more() -> Pairs:
    """-log(p + 1e-8)."""

    def loss(low: float) -> float:
        return -np.log(np.exp(low) / (1 + np.exp(low)) + 1e-8)

    pairs: Pairs = []
    for low in (-5.0, -30.0):
        pairs += [("score", low), (", loss:", loss(low)), ("gradient:", slope(loss, low))]
    return [*pairs, ("1e-8 in float16:", np.float16(1e-8))]


def log_of_zero() -> Pairs:
    """The slope of -log p is -1 / p; below the bound the clamped loss is flat."""
    with np.errstate(**QUIET):
        p = np.array([0, 0.5], np.float32)
        infinite, by_p = -np.log(p).sum(), -1 / p

    def clamped(p: np.ndarray) -> float:
        return -np.log(np.maximum(p, 1e-6)).sum()

    pairs: Pairs = [("p, loss:", infinite), ("p.grad:", by_p), ("clamped, loss:", clamped(p))]
    return [*pairs, ("p.grad:", slope(clamped, p, h=1e-7))]


def scaler_skips() -> Pairs:
    """Adam with the same gradient 1 moves by 0.1 each time; a step with nan is skipped."""
    w, scale, pairs = 1.0, 1024.0, []
    for gradient in (1, NAN, NAN, NAN, 1):
        finite = not np.isnan(gradient)
        w, scale = w - 0.1 * finite, scale if finite else scale / 2
        pairs += [("slope", gradient), ("w:", w), ("scale:", scale)]
    return pairs


def review_solution() -> Pairs:
    """The cross entropy of two equal scores; the step follows the sign of its slope."""
    a = np.ones(2)
    return [("loss:", np.log(2)), ("a:", a - 0.1 * np.sign(slope(lambda s: lse(s) - s[0], a)))]
