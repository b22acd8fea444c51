"""The numbers of `snippets/updates/`, found without autograd.

Gradients are finite differences. The optimizers are written as sums over all gradients so far, not
step by step as PyTorch does it.
"""

import numpy as np

from second_way.tools import HEADING, Pairs, mse, sgd, slope

EXCEPTIONS = {
    ("lbfgs_closure", "missing 1 required"): "PyTorch's message: a count",
    ("refused_gradient", "'[3]' to a tensor of size '[2]'"): "PyTorch's message: shapes",
    ("shared_once", "net.parameters(): 2"): "a count of parameters",
    ("shared_once", "layer by layer: 3"): "a count of parameters",
}


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


def by_hand() -> Pairs:
    """(2w + 1 - 1)^2 at w = 1, one step with lr = 1."""

    def loss(w):
        return mse(2 * w + 1, 1)

    g = slope(loss, 1)
    pairs: Pairs = [p for _ in range(2) for p in ((": loss=", loss(1)), ("w.grad=", g))]
    return [*pairs, ("by hand, w:", sgd(1, g, lr=1)), ("by SGD, w:", sgd(1, g, lr=1))]


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


def clip_scaled() -> Pairs:
    """The gradient 5 clipped to 1; or 65536 times 5 clipped to 1, and divided by 65536 then."""
    scale, g = 2.0**16, slope(lambda w: 5 * w, 0)
    return [
        ("unscale_, clip, step: norm=", g),
        (" w=", sgd(0, clipped([g])[0], 1)),
        ("clip, step: norm=", scale * g),
        (" w=", sgd(0, clipped([scale * g])[0] / scale, 1)),
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


def decay() -> Pairs:
    """3w at w = 2, lr 0.1: weight decay 0.5, or w^2 / 4 in the loss."""
    plain, with_loss = slope(lambda w: 3 * w, 2), slope(lambda w: 3 * w + 0.5 / 2 * w**2, 2)
    one, two = sgd(2, plain, 0.1, weight_decay=0.5), sgd(2, with_loss, 0.1)
    return [
        pair
        for name, g, w in (("weight_decay", plain, one), ("in the loss", with_loss, two))
        for pair in (
            (f"{name}, w.grad:", g),
            ("  after step, w.grad:", g),
            ("  after step, w:", w),
        )
    ]


def decay_by_default() -> Pairs:
    """The gradient is 0 and lr 0.5; AdamW alone takes 0.5 times its default 0.01 of w = 2."""
    return [("SGD, w:", 2), ("Adam, w:", 2), ("AdamW, w:", 2 * (1 - 0.5 * 0.01))]


def fixed_closure() -> Pairs:
    """The first step is lr / |g| times g; the gradient does not change, so the second is none."""
    g = slope(lambda w: w**2, 1)
    w = 1 - 0.5 / abs(g) * g
    return [
        *(("closure: w=", 1), ("w.grad=", g), ("closure: w=", w), ("w.grad=", g)),
        ("after step, w:", w),
    ]


def given_twice() -> Pairs:
    """A gradient of 1, lr 0.1, one step or two."""
    return [
        ("once, w:", sgd(0, 1, 0.1)),
        ("twice in one group, w:", sgd(sgd(0, 1, 0.1), 1, 0.1)),
        ("in two optimizers, w:", sgd(sgd(0, 1, 0.1), 1, 0.1)),
    ]


def growing_graph() -> Pairs:
    """w^2 from w = 1 with lr = 0.25. Nodes: the square and the leaf, then one more a step."""
    pairs: Pairs = []
    for name, more in (("no_grad:", 0), ("retain_grad:", 1)):
        pairs.append((name, HEADING))
        for step, (g, _) in enumerate(descent(lambda w: w**2, 1, 0.25, 3)):
            pairs += [("  step", step), (": w.grad=", g), ("nodes:", 2 + more * step)]
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


def l1_overshoots() -> Pairs:
    """|2w - 1| at w = 1, one step with lr = 1."""
    g = slope(lambda w: abs(line(w)), 1)
    w = sgd(1, g, lr=1)
    return [
        ("before, loss:", abs(line(1))),
        ("w.grad:", g),
        ("after step, w:", w),
        ("after step, loss:", abs(line(w))),
    ]


def lbfgs_closure() -> Pairs:
    """w^2 from 1: lr / |g| times g, as |g| > 1; then lr times Newton's step, which is g / 2 = w.

    With max_iter=3 it evaluates at most int(3 * 1.25) = 3 times, and stays at the third place.
    """
    second = 1.0 - 0.5 / 2 * 2
    places = [1.0, second, second - 0.5 * second]
    pairs: Pairs = []
    for w in places:
        pairs += [("  closure: w=", w), ("w.grad=", slope(lambda w: w**2, w))]
    return [*pairs, ("after step, w:", places[-1])]


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


def minimize_y() -> Pairs:
    """2w - 1, and |2w - 1|, from w = 1 with lr = 1."""
    pairs: Pairs = []
    for name, f in (("y itself, step", line), ("L1, step", lambda w: abs(line(w)))):
        places = [1.0, *(w for _, w in descent(f, 1, 1, 3))]
        for step, w in enumerate(places):
            pairs += [(name, step), (": w=", w), ("value=", f(w))]
    return pairs


def momentum() -> Pairs:
    """From 1, lr 0.01, three times the same gradient: the buffer is 1, 1.9, 2.71 times it."""
    g, w, pairs = np.array([0.25, 0.25, 1.25, 0.25]), np.ones(4), []
    for t in (1, 2, 3):
        w = w - 0.01 * buffer([g] * t)
        pairs += [("step", t), (", buffer:", buffer([g] * t)), ("step", t), (", w:", w)]
    return pairs


def negative_norm() -> Pairs:
    """(3, 4) times max_norm / 5."""
    pairs: Pairs = []
    for max_norm in (1.0, 0.0, -1.0):
        pairs += [("max_norm", max_norm), (", w.grad:", clipped([3.0, 4.0], max_norm))]
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


def never_used_row() -> Pairs:
    """Adam adds 0.5 to the gradients 1 and 0, and moves by their sign; AdamW by 0.05 more."""
    return [
        ("Adam, weight:", 1 - 0.1 * np.sign(np.array([1, 0]) + 0.5)),
        ("AdamW, weight:", 1 - 0.1 * 0.5 - 0.1 * np.sign([1, 0])),
    ]


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


def no_decay_for_bias() -> Pairs:
    """0 times w x + b, then w - 0.1 * 1 * w, b - 0.1 * 0 * b."""
    g = slope(lambda p: 0 * (p[0] + p[1] + p[2]), [1, 1, 1])
    return [
        ("weight.grad:", g[:2]),
        ("bias.grad:", g[2]),
        ("after step, weight:", sgd(np.ones(2), g[:2], 0.1, weight_decay=1)),
        ("bias:", sgd(1, g[2], 0.1)),
    ]


def none_is_skipped() -> Pairs:
    """3a + 0b at a = b = 1, lr 0.1 and weight decay 1; the third is not in the loss."""
    g = slope(lambda p: 3 * p[0] + 0 * p[1], [1, 1])
    moved = sgd(np.ones(2), g, 0.1, weight_decay=1)
    return [
        *(("used: grad=", g[0]), ("after step=", moved[0])),
        *(("times zero: grad=", g[1]), ("after step=", moved[1])),
        *(("unused: grad=", None), ("after step=", 1)),
    ]


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


def clip_or_not() -> Pairs:
    """3a + 4b: (3, 4) has the norm 5; clipped to 1, then one step from 0 with lr 1."""
    short = clipped([3.0, 4.0])
    return [
        *(("before clipping, a.grad:", 3.0), ("b.grad:", 4.0)),
        *(("after clipping, a.grad:", short[0]), ("b.grad:", short[1])),
        *(("after step, a:", -short[0]), ("b:", -short[1])),
    ]


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


def own_gradient() -> Pairs:
    """0 - 1 * (10, -3)."""
    return [
        ("x.requires_grad:", False),
        ("after step, x:", sgd(0, np.array([10, -3]), lr=1)),
    ]


def review_problem() -> Pairs:
    """30 w at w = 1: the slope, or 1 where it is clipped; decay adds w; Adam takes its sign."""
    grad = slope(lambda w: 30 * w, 1)
    return [
        pair
        for g in (grad, grad / abs(grad))
        for pair in (
            ("  SGD, w:", 1 - 0.1 * g),
            ("  SGD with weight decay, w:", 1 - 0.1 * (g + 1)),
            ("  Adam, w:", 1 - 0.1 * np.sign(g)),
        )
    ]


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


def size_of_error() -> Pairs:
    """|2w - 1 - t| and (2w - 1 - t)^2 at w = 1, where t is 1 less the error."""
    pairs: Pairs = []
    for error in (10, 1, 0.5, 0, -0.5, -10):
        pairs += [
            ("error", error),
            ("  L1Loss, w.grad:", slope(lambda w, t=1 - error: abs(line(w) - t), 1)),
            ("  MSELoss, w.grad:", slope(lambda w, t=1 - error: (line(w) - t) ** 2, 1)),
        ]
    return pairs


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


def what_fits() -> Pairs:
    """No number but in the name of what is passed."""
    return [("[2 * w]", HEADING)]


def who_does_what() -> Pairs:
    """(2w)^2 at w = 1 with lr = 0.125: twice the same step."""
    g = slope(lambda w: (2 * w + 1 - 1) ** 2, 1)
    once = sgd(1, g, 0.125)
    twice = sgd(once, g, 0.125)
    rows = (
        ("at the start", 1, None),
        ("after backward", 1, g),
        ("after step", once, g),
        ("after another step", twice, g),
        ("after zero_grad", twice, None),
        ("after a step without gradient", twice, None),
    )
    return [p for name, w, found in rows for p in ((f"{name}: w=", w), ("w.grad=", found))]


def without_no_grad() -> Pairs:
    """(2w)^2 at w = 1, one step with lr = 0.0625."""
    g = slope(lambda w: (2 * w) ** 2, 1)
    return [
        ("first step, w.grad:", g),
        ("w:", sgd(1, g, 0.0625)),
        ("w.is_leaf:", False),
        ("second step, w.grad:", None),
    ]


def wrong_moment() -> Pairs:
    """5w at w = 0, lr 1: clipped to 1 before the step, or not."""
    g = slope(lambda w: 5 * w, 0)
    whole = sgd(0, g, 1)
    return [
        ("backward, clip, step: w=", sgd(0, clipped([g])[0], 1)),
        ("clip, backward, step: w=", whole),
        ("backward, step, clip: w=", whole),
    ]


def wrong_order() -> Pairs:
    """After one step the buffers are the gradients, 1 and 5; a comes first or second."""
    one, five = buffer([1]), buffer([5])
    return [("a, b: buffer of a:", one), ("b, a: buffer of a:", five)]


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
