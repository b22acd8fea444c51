"""The numbers of `snippets/nan_and_inf/`, found without autograd."""

import numpy as np

from second_way.tools import HEADING, Pairs, slope

EXCEPTIONS = {
    ("anomaly_mode", "in its 0th output"): "the number of an output, part of a message",
}

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


def first_module() -> Pairs:
    with np.errstate(**QUIET):
        x = np.array([1.0, -2.0])
        relu = np.maximum(x, 0)
        log = np.log(relu)
        norm = (log - log.mean()) / log.std()
        pairs: Pairs = []
        for name, out in (("Linear:", x), ("ReLU:", relu), ("Log:", log), ("LayerNorm:", norm)):
            pairs += [(name, out), ("finite:", bool(np.isfinite(out).all()))]
        return [*pairs, ("loss:", norm.sum())]


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


def anomaly_mode() -> Pairs:
    with np.errstate(**QUIET):
        return [
            ("log at -1:", HEADING),
            ("value:", np.log(-1.0)),
            ("gradient:", 1 / -1.0),
            ("sqrt at 0:", HEADING),
            ("value:", np.sqrt(0.0)),
            ("gradient:", 1 / (2 * np.sqrt(ZERO))),
            ("sqrt of x * x at 0:", HEADING),
            ("value:", 0),
            ("returned", 0 * INF),
            ("0 * log at 0:", HEADING),
            ("value:", 0 * np.log(ZERO)),
            ("returned", 0 * (ONE / ZERO)),
        ]


def three_suspects() -> Pairs:
    """The largest float32 is below 3e38 + 6e38."""
    pairs: Pairs = [("a picture with a", NAN)]
    large = float(np.finfo(np.float32).max) >= 3e38 * (1 + 2)
    for seen in ((False, True, False), (True, False, False), (True, True, large)):
        pairs += list(zip(("input:", "weights:", "output:"), map(bool, seen), strict=True))
    return pairs


def edges() -> Pairs:
    """Slopes from the right by ever smaller steps, which grow without end or settle."""
    rows = [
        ("sqrt at 0:", 0, INF),
        ("x ** 0.5 at 0:", 0, INF),
        ("x ** 1.5 at 0:", 0, 0),
        ("x ** 1.5 at -1:", NAN, NAN),
        ("acos at 1:", 0, -INF),
        ("root_of_squares at 0, 0:", 0, [NAN, NAN]),
        ("hypot at 0, 0:", 0, [NAN, NAN]),
        ("vector_norm at 0, 0:", 0, [0, 0]),
        ("cdist at 0, 0:", 0, [0, 0]),
        ("std at 1, 1:", 0, [0, 0]),
    ]
    pairs: Pairs = []
    for label, value, gradient in rows:
        pairs += [(label, HEADING), *2 * [("value", value), ("gradient", np.array(gradient))]]
    return pairs


def distance() -> Pairs:
    """The root's infinite slope, times 2 * 0."""
    return [("distance:", 0), ("b.grad:", np.full(2, INF * 0))]


def where_eps_goes() -> Pairs:
    return [
        ("inside:", np.sqrt(1e-8)),
        ("x.grad:", slope(lambda x: np.sqrt(x + 1e-8), 0.0, h=1e-12)),
        ("outside:", 1e-8),
        ("x.grad:", INF),
        ("clamped_above:", np.sqrt(1e-8)),
        ("x.grad:", slope(lambda x: np.sqrt(np.maximum(x, 1e-8)), 0.0, h=1e-12)),
        ("clamped_at_the_edge:", 0),
        ("x.grad:", INF),
    ]


def angle() -> Pairs:
    """Of (1, 0) with b; the clamped one doesn't move."""
    return [
        ("by_acos:", np.arccos(1.0)),
        ("b.grad:", np.full(2, INF * 0)),
        ("by_clamped_acos:", np.arccos(1 - 1e-4)),
        ("b.grad:", np.zeros(2)),
        ("by_atan2:", 0),
        ("b.grad:", slope(lambda b: np.arctan2(b[1], b[0]), [2.0, 0.0])),
    ]


def second_time() -> Pairs:
    """The gradient of sqrt(x^2 + y^2 + eps) is x / sqrt(...); once more at 0, 1 / sqrt(eps)."""

    def gradient(x):
        return x / np.sqrt(np.sum(x**2) + 2**-20)

    return [
        ("by_norm, gradient:", np.zeros(2)),
        ("again:", np.full(2, NAN)),
        ("by_eps, gradient:", gradient(np.zeros(2))),
        ("again:", slope(lambda x: gradient(x).sum(), [0.0, 0.0], h=1e-9)),
    ]


def log_of_softmax() -> Pairs:
    """Infinite slope of the logarithm; without the probability, p - (0, 1)."""
    p = np.exp(np.float32(-90))
    with np.errstate(**QUIET):
        upstream = np.array([0, -ONE / p])
        total = p * upstream[1]
        gradient = np.array([1, p]) * (upstream - total)
    return [
        ("p:", np.array([1, p])),
        ("loss:", 90),
        ("scores.grad:", gradient),
        ("log_softmax, loss:", 90),
        ("log_softmax, scores.grad:", slope(lambda s: lse(s) - s[1], [0.0, -90.0])),
    ]


def lse(x: np.ndarray) -> float:
    return x.max() + np.log(np.exp(x - x.max()).sum())


def log_sum_exp() -> Pairs:
    with np.errstate(**QUIET):
        e = np.exp(np.array([88, 89], np.float32))
        naive = (1 / e.sum()) * e
        first = np.log(e.sum())
    g = slope(lse, [88.0, 89.0])
    value = lse(np.array([88.0, 89.0]))
    return [
        ("exp(88):", float(np.exp(np.float32(88)))),
        ("exp(89):", e[1]),
        ("naive:", first),
        ("x.grad:", naive),
        ("shifted:", value),
        ("x.grad:", g),
        ("built_in:", value),
        ("x.grad:", g),
    ]


def binary() -> Pairs:
    """The loss log(1 + e^60); of the probability, the gradient divided by 1e-12 instead of p."""
    p = 1 / (1 + np.exp(60.0))

    def loss(score):
        return np.logaddexp(0, -score)

    def rounded(x):
        return float(f"{x:.3e}")

    right = slope(loss, -60.0).item()
    return [
        ("p:", rounded(p)),
        ("by_log, loss:", loss(-60.0)),
        ("score.grad:", round(right, 3)),
        ("by_probability, loss:", loss(-60.0)),
        ("score.grad:", rounded(-p / 1e-12)),
        ("with_logits, loss:", loss(-60.0)),
        ("score.grad:", round(right, 3)),
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
        ("NumPy, log of 0:", -INF),
        ("p, loss:", infinite),
        ("p.grad:", by_p),
        ("clamped, loss:", clamped(p)),
        ("p.grad:", slope(clamped, p, h=1e-7)),
    ]


def any_or_all() -> Pairs:
    finite = np.isfinite([1, np.nan])
    return [("any():", bool(finite.any())), ("all():", bool(finite.all()))]


def entropy() -> Pairs:
    with np.errstate(**QUIET):
        by_hand = 0 * np.log(ZERO)
    return [
        ("by_hand:", by_hand),
        ("finite gradient:", False),
        ("by_xlogy:", 0),
        ("finite gradient:", False),
        ("from_scores:", 90 * np.exp(-90.0)),
        ("finite gradient:", True),
    ]


def masked_row() -> Pairs:
    weights = np.array([[1, 0], [NAN, NAN]])
    return [
        ("weights:", weights),
        ("out:", weights @ np.array([1, 2])),
        ("values.grad:", weights.T @ np.array([1, 0])),
        ("scores.grad:", np.zeros(4)),
    ]


def added_mask() -> Pairs:
    return [
        ("added, scores.grad:", np.array([0, 0, NAN, NAN])),
        ("filled, scores.grad:", np.zeros(4)),
    ]


def safe_rows() -> Pairs:
    values, pairs = np.array([1.0, 2.0]), []
    for name, weights in (("lowest", [[1, 0], [0.5, 0.5]]), ("fill_again", [[1, 0], [0, 0]])):
        w = np.array(weights)
        pairs += [(f"{name}, out:", w @ values), ("values.grad:", w.T @ np.ones(2))]
        pairs += [("scores.grad:", np.zeros(4))]
    return pairs


def attention_layers() -> Pairs:
    pairs: Pairs = [("by function, out:", np.array([1, 0])), ("q.grad:", np.zeros(2))]
    for need in (True, False):
        pairs += [("need_weights=", need), ("out finite: [", True), (",", not need)]
        pairs += [("gradient finite:", not need)]
    return pairs


def two_masks() -> Pairs:
    low = float(np.finfo(np.float32).min)
    return [
        ("filled:", np.full(2, 0.5)),
        ("added:", np.array([low, -INF])),
        ("all -inf:", np.full(2, NAN)),
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


def skip_the_step() -> Pairs:
    (one, _), (two, _) = adam(1.0, [1.0, 1.0])
    pairs: Pairs = []
    for g, w, steps in ((1, one, 1), (NAN, one, 1), (1, two, 2)):
        pairs += [("slope", g), ("w:", w), ("steps:", steps)]
    return [*pairs, ("skipped:", 1)]


def three_ways_to_skip() -> Pairs:
    (before, _), (after, _) = adam(1.0, [1.0, 0.0])
    pairs: Pairs = [("with gradient", None), ("before:", before), ("after:", before)]
    for _ in range(2):
        pairs += [("with gradient", 0), ("before:", before), ("after:", after)]
    return pairs


def scaler_skips() -> Pairs:
    (one, _), (two, _) = adam(1.0, [1.0, 1.0])
    scale, pairs = 1024.0, []
    for g, w in ((1, one), (NAN, one), (NAN, one), (NAN, one), (1, two)):
        scale = scale / 2 if np.isnan(g) else scale
        pairs += [("slope", g), ("w:", w), ("scale:", scale)]
    return pairs


def batch_norm() -> Pairs:
    """Nine tenths of the old mean and a tenth of the batch's; var 1 in the batch (1, 3)."""
    good = 0.1 * 2
    bad = 0.9 * good + 0.1 * INF
    normed = np.array([-1, 1]) / np.sqrt(1 + 1e-5)
    return [
        ("good batch, running_mean:", good),
        ("bad batch, running_mean:", bad),
        ("good batch, running_mean:", 0.9 * bad + 0.1 * 2),
        ("train():", normed),
        ("eval():", np.array([1, 3]) * NAN),
    ]


def review_problem() -> Pairs:
    return [
        ("loss:", np.log(2)),
        ("a.grad:", np.full(2, NAN)),
        ("a:", np.full(2, NAN)),
    ]


def review_solution() -> Pairs:
    a = np.ones(2)
    g = slope(lambda s: lse(s) - s[0], a)
    return [("loss:", np.log(2)), ("a.grad:", g), ("a:", a - 0.1 * np.sign(g))]
