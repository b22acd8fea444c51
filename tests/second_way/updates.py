"""The numbers of `snippets/updates/`, found without autograd.

Gradients are finite differences. The optimizers are written as sums over all gradients so far, not
step by step as PyTorch does it.
"""

import numpy as np

from second_way.tools import HEADING, Pairs, sgd, slope


def line(w):
    """(2w - 1), the output of the page on L1."""
    return 2 * w - 1


def fading(gradients: list, by: float) -> np.ndarray:
    """The last gradient, plus `by` times the one before, plus by^2 times the third last, ..."""
    return sum(by**age * np.asarray(g, float) for age, g in enumerate(reversed(gradients)))


def buffer(gradients: list, mu: float = 0.9, dampening: float = 0.0) -> np.ndarray:
    """SGD's momentum buffer: the first gradient counts whole, the others (1 - dampening) times."""
    first, *others = gradients
    return fading([first, *((1 - dampening) * np.asarray(g) for g in others)], mu)


def adam_direction(gradients: list, eps: float = 1e-8) -> np.ndarray:
    """m / (1 - 0.9^t) over sqrt(v / (1 - 0.999^t)) + eps, m and v being fading sums."""
    t = len(gradients)
    m = 0.1 * fading(gradients, 0.9) / (1 - 0.9**t)
    v = 0.001 * fading([np.square(g) for g in gradients], 0.999) / (1 - 0.999**t)
    return m / (np.sqrt(v) + eps)


def adam(w, gradients: list, lr: float) -> list:
    """Where Adam is after each of the gradients."""
    moves = [lr * adam_direction(gradients[:t]) for t in range(1, len(gradients) + 1)]
    return list(w - np.cumsum(moves, axis=0))


def clipped(gradients: list, max_norm: float = 1.0) -> np.ndarray:
    """All gradients times max_norm over their common norm, where that is less than 1."""
    return np.array(gradients) * min(max_norm / (np.linalg.norm(gradients) + 1e-6), 1)


def descent(f, w: float, lr: float, steps: int) -> list[tuple[float, float]]:
    """The gradient and the new w of each step."""
    found = []
    for _ in range(steps):
        gradient = slope(f, w)
        w = float(sgd(w, gradient, lr))
        found.append((gradient, w))
    return found


def adam_first_step() -> Pairs:
    """-0.1 g / (|g| + 1e-8)."""
    gradients = (1000, 1, 0.001, -0.001, 1e-8, 1e-10, 0)
    moves = [(g, -0.1 * g / (abs(g) + 1e-8)) for g in gradients]
    return [p for g, by in moves for p in (("gradient", g), (": w moves by", by))]


def adam_or_adamw() -> Pairs:
    """Adam: 0.1 (g + wd w) / (|g + wd w| + 1e-8); AdamW: 0.1 wd w + 0.1 g / (|g| + 1e-8)."""
    pairs: Pairs = []
    for g in (3, 0):
        pairs.append(("gradient", g))
        for wd in (0, 0.25, 0.5):
            whole = g + wd * 2
            w = 2 - 0.1 * whole / (abs(whole) + 1e-8)
            pairs += [("  Adam, weight_decay", wd), (": w=", w)]
        for wd in (0, 0.25, 0.5):
            w = 2 - 0.1 * wd * 2 - 0.1 * g / (abs(g) + 1e-8)
            pairs += [("  AdamW, weight_decay", wd), (": w=", w)]
    return pairs


def adam_second_step() -> Pairs:
    """m = 0.1 (0.9 + g), v = 0.001 (0.999 + g^2), both over what their weights add up to."""
    pairs: Pairs = []
    for second in (1, 0, -1):
        pairs.append(("gradients 1, then", second))
        for t in (1, 2):
            g = [1, second][:t]
            pairs += [
                ("  step", t),
                (": m=", 0.1 * fading(g, 0.9)),
                ("v=", 0.001 * fading(np.square(g).tolist(), 0.999)),
                ("moves by", -0.1 * adam_direction(g)),
            ]
    return pairs


def bounce() -> Pairs:
    """|2w - 1| and (2w - 1)^2 from w = 1 with lr = 0.1875."""
    pairs: Pairs = []
    for name, f in (("L1Loss:", lambda y: abs(y)), ("MSELoss:", lambda y: y**2)):
        pairs.append((name, HEADING))
        for step, (g, w) in enumerate(descent(lambda w, f=f: f(line(w)), 1, 0.1875, 4)):
            pairs += [("  step", step), (": w.grad=", g), ("w=", w)]
    return pairs


def buffer_remembers() -> Pairs:
    """The buffer is the sum of 0.9^age times the gradients; w loses 0.1 of each buffer."""
    gradients, pairs = [1, 1, 1, 0, -1], []
    buffers = [buffer(gradients[:t]) for t in range(1, 6)]
    for g, b, w in zip(gradients, buffers, -0.1 * np.cumsum(buffers), strict=True):
        pairs += [("gradient", g), (": buffer=", b), ("w=", w)]
    return pairs


def clip_once() -> Pairs:
    """(2, 0) to norm 1, plus (0, 2), to norm 1; or (2, 2) to norm 1."""
    one, two = np.array([2.0, 0]), np.array([0, 2.0])
    each = [clipped(one), clipped(clipped(one) + two)]
    return [
        *(("after a micro-batch, w.grad:", g) for g in each),
        ("clipped each time, w.grad:", each[-1]),
        ("before clipping, w.grad:", one + two),
        ("clipped once, w.grad:", clipped(one + two)),
    ]


def clip_then_adam() -> Pairs:
    """SGD moves by 0.1 g, Adam by 0.1 g / (|g| + 1e-8)."""
    g = np.array([30.0, 40.0])
    return [
        ("SGD, clip=False, w:", sgd(0, g, 0.1)),
        ("SGD, clip=True, w:", sgd(0, clipped(g), 0.1)),
        ("Adam, clip=False, w:", adam(0, [g], 0.1)[0]),
        ("Adam, clip=True, w:", adam(0, [clipped(g)], 0.1)[0]),
    ]


def dampening() -> Pairs:
    """Gradients 1, 1, 1: 0.9^(t-1) + (1 - dampening) times the sum of the younger ones."""
    pairs: Pairs = []
    for d in (0, 0.5, 0.9):
        pairs.append(("dampening", d))
        for t in (1, 2, 3):
            pairs += [("  step", t), (", buffer:", buffer([1] * t, dampening=d))]
    return pairs


def hundred_times() -> Pairs:
    """SGD takes 0.1 g; the others 0.1 g over what they keep of |g|."""
    first = {
        "SGD": lambda g: g,
        "momentum": lambda g: g,
        "weight_decay": lambda g: g + 0.5 * 1,
        "Adagrad": lambda g: g / np.sqrt(g**2),
        "RMSprop": lambda g: g / np.sqrt(0.01 * g**2),
        "Rprop": np.sign,
        "Adamax": lambda g: g / abs(g),
        "Adam": lambda g: g / abs(g),
        "AdamW": lambda g: g / abs(g) + 0.01,
    }
    pairs: Pairs = []
    for name, direction in first.items():
        pairs.append((name, HEADING))
        for g in (2.0, 200.0):
            pairs += [("  gradient", g), (": w=", 1 - 0.1 * direction(g))]
    return pairs


def l1_of_many() -> Pairs:
    """The mean of |y - t| over five targets."""
    pairs: Pairs = []
    for y in (-1, 0.5, 1.5, 2, 3, 9):
        g = slope(lambda y: np.mean(abs(y - np.array([0.0, 1, 2, 4, 8]))), y)
        pairs += [("y=", y), (": y.grad=", g)]
    return pairs


def l1_over_four() -> Pairs:
    """The mean or the sum of |2w - 1|, one or four times."""
    pairs: Pairs = []
    for n in (1, 4):
        for name, reduce in (("mean", np.mean), ("sum", np.sum)):
            g = slope(lambda w, n=n, reduce=reduce: reduce(abs(line(w * np.ones(n)))), 1)
            pairs += [("errors:", n), (f" {name}, w.grad:", g)]
    return pairs


def lr_outside() -> Pairs:
    """torch: the sum of lr_t times the buffer of t; inside: of 0.9^age times each lr."""
    pairs: Pairs = []
    for rates in ([0.1, 0.1, 0.1], [0.1, 0.1, 0.01]):
        pairs.append(("lr:", np.array(rates)))
        outside = -np.cumsum([lr * buffer([1] * (t + 1)) for t, lr in enumerate(rates)])
        inside = -np.cumsum([fading(rates[: t + 1], 0.9) for t in range(3)])
        for one, two in zip(outside, inside, strict=True):
            pairs += [("  torch:", one), ("lr inside:", two)]
    return pairs


def momentum() -> Pairs:
    """From 1, lr 0.01, three times the same gradient: the buffer is 1, 1.9, 2.71 times it."""
    g, w, pairs = np.array([0.25, 0.25, 1.25, 0.25]), np.ones(4), []
    for t in (1, 2, 3):
        w = w - 0.01 * buffer([g] * t)
        pairs += [("step", t), (", buffer:", buffer([g] * t)), ("step", t), (", w:", w)]
    return pairs


def nesterov() -> Pairs:
    """w^2 / 2: z_(t+1) = (1 + mu)(1 - lr) z_t - mu (1 - lr) z_(t-1) in look-ahead points.

    The position is x_(t+1) = (1 - lr) z_t, and z_t = x_t + mu (x_t - x_(t-1)).
    """
    lr, mu, points = 0.1, 0.9, [1.0]
    before = 1.0
    pairs: Pairs = []
    for t in (1, 2, 3):
        after = (1 - lr) * points[-1]
        points.append((1 + mu) * after - mu * before)
        before = after
        pairs += [("step", t), (": torch=", points[-1]), ("look-ahead=", points[-1])]
    return pairs


def no_correction() -> Pairs:
    """0.1 g / sqrt(0.001 g^2) times lr = 0.1."""
    pairs: Pairs = []
    for g in (1000, 1):
        raw = 0.1 * g / (np.sqrt(0.001 * g**2) + 1e-8)
        pairs += [
            ("gradient", g),
            ("  corrected, w moves by", -0.1 * adam_direction([g])),
            ("  not corrected, w would move by", -0.1 * raw),
        ]
    return pairs


def not_finite() -> Pairs:
    """(g, 3) times 1 / (sqrt(g^2 + 9) + 1e-6)."""
    pairs: Pairs = []
    with np.errstate(invalid="ignore"):
        for first in (np.inf, np.nan):
            g = np.array([first, 3.0])
            norm = np.sqrt(np.sum(g**2))
            pairs += [
                ("gradient", first),
                (", 3: norm=", norm),
                ("  after clipping:", g * (1 / (norm + 1e-6))),
            ]
    order = 2
    return [*pairs, ("norm of order", order), ("  w.grad:", np.array([np.inf, 3]))]


def past_the_bottom() -> Pairs:
    """w^2 / 2 from 1, lr 0.5, the buffer b = b / 2 + slope: 1, then 1, then 0.5."""
    w, buffer = 1.0, 0.0
    pairs: Pairs = []
    for step in (1, 2, 3):
        gradient = slope(lambda w: w**2 / 2, w)
        buffer = buffer / 2 + gradient
        w -= 0.5 * buffer
        pairs += [("step", step), (": w.grad=", gradient), (" w=", w)]
    return pairs


def one_norm() -> Pairs:
    """sqrt(3^2 + 4^2) = 5; 3 alone; each between -3.5 and 3.5."""
    both, alone = clipped([3.0, 4.0]), clipped([3.0])
    large, value = clipped([3.0, 4.0], 10), np.clip([3, 4], -3.5, 3.5)
    return [
        ("both, returned:", np.hypot(3, 4)),
        *(("both, a.grad:", both[0]), ("b.grad:", both[1])),
        ("a alone, returned:", 3),
        *(("a alone, a.grad:", alone[0]), ("b.grad:", 4)),
        ("loose, returned:", np.hypot(3, 4)),
        *(("loose, a.grad:", large[0]), ("b.grad:", large[1])),
        *(("value, a.grad:", value[0]), ("b.grad:", value[1])),
    ]


def one_or_two() -> Pairs:
    """The buffers of three equal gradients add up to 1 + 1.9 + 2.71; lr 0.1."""
    whole = sum(buffer([1] * t) for t in (1, 2, 3))
    together, apart = clipped([3.0, 4.0]), [clipped([3.0])[0], clipped([4.0])[0]]
    pairs: Pairs = []
    for one, two in (([3, 4], [3, 4]), (together, apart)):
        for name, (a, b) in (("one optimizer:", one), ("two optimizers:", two)):
            pairs += [*((f"  {name}", HEADING), ("a=", -0.1 * whole * a), ("b=", -0.1 * whole * b))]
    return pairs


def same_gradient() -> Pairs:
    """Three gradients of 2 from w = 1 with lr 0.1: each optimizer's direction at t = 1, 2, 3."""
    times, g = (1, 2, 3), 2.0

    def after(directions):
        return 1 - 0.1 * np.cumsum(directions)

    def shrunk(by, push):
        """w is multiplied by `by`, then pushed, three times: a geometric sum."""
        return np.array([by**t - push * sum(by**k for k in range(t)) for t in times])

    return [
        ("SGD", after([g] * 3)),
        ("momentum", after([buffer([g] * t) for t in times])),
        ("nesterov", after([g + 0.9 * buffer([g] * t) for t in times])),
        ("weight_decay", shrunk(1 - 0.1 * 0.5, 0.1 * g)),
        ("Adagrad", after([g / np.sqrt(t * g**2) for t in times])),
        ("RMSprop", after([g / np.sqrt((1 - 0.99**t) * g**2) for t in times])),
        ("Rprop", after([1.2 ** (t - 1) for t in times])),
        ("Adamax", after([1, 1, 1])),
        ("Adam", after([adam_direction([g] * t) for t in times])),
        ("AdamW", shrunk(1 - 0.1 * 0.01, 0.1)),
    ]


def smooth_l1() -> Pairs:
    """The derivative of y^2 / 2 below 1 and |y| - 1/2 above is y, cut off at -1 and 1; y = 2w - 1.

    Four steps from w = 1 with lr = 0.1875.
    """
    w, pairs = 1.0, []
    for step in range(4):
        g = 2 * np.clip(line(w), -1, 1)
        w = float(sgd(w, g, 0.1875))
        pairs += [("step", step), (": w.grad=", g), ("w=", w)]
    return pairs


def unused_rows() -> Pairs:
    """Row 0 gets 1, 1; row 1 gets 1, 0, or (sparse) nothing; row 2 gets 0, 0, or nothing."""
    used, once = adam(1, [1, 1], 0.1), adam(1, [1, 0], 0.1)
    after = {
        "SGD:": ([0.9, 0.9, 1], [0.9 - 0.1, 0.9, 1]),
        "Adam:": ([used[0], once[0], 1], [used[1], once[1], 1]),
        "SparseAdam:": ([used[0], once[0], 1], [used[1], once[0], 1]),
    }
    pairs: Pairs = []
    for name, (first, second) in after.items():
        pairs += [
            (name, HEADING),
            *(("  rows used", np.array([0, 1])), (", weight:", np.array(first))),
            *(("  rows used", np.array([0])), (", weight:", np.array(second))),
        ]
    return pairs


def adam_or_lbfgs() -> Pairs:
    """Adam by its formulas; the first step of LBFGS is g / sum |g|, and the targets are 3 and 4."""

    def adam(target, w=0.0, m=0.0, v=0.0):
        for t in (1, 2, 3):
            g = w - target
            m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g**2
            w -= 0.1 * (m / (1 - 0.9**t)) / (np.sqrt(v / (1 - 0.999**t)) + 1e-8)
        return w

    pairs: Pairs = [("Adam, three steps", HEADING)]
    for name in ("one optimizer:", "two optimizers:"):
        pairs += [(f"  {name}", HEADING), ("a=", adam(3)), ("b=", adam(4))]
    pairs += [("LBFGS, one step", HEADING)]
    for name, (a, b) in (("one optimizer:", (7, 7)), ("two optimizers:", (3, 4))):
        pairs += [(f"  {name}", HEADING), ("a=", 3 / a), ("b=", 4 / b)]
    return pairs
