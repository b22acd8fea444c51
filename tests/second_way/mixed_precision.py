"""The numbers of `snippets/mixed_precision/`, found without autograd.

A float of p bits behind its point and a least exponent e: the smallest is 2^(e - p), the gap
above 1 is 2^-p. Its roundings here are those of NumPy's float16, or are written out.
"""

import numpy as np

from second_way.tools import HEADING, Pairs, sgd, slope

EXCEPTIONS = {
    ("no_inf_checks", "No inf checks"): "a message",
    ("scaler_order", "No inf checks"): "a message",
}

FORMATS = (("float32", 23, 126), ("bfloat16", 7, 126), ("float16", 10, 14))
"""Name, bits behind the point, and the least exponent, without its minus."""


def three_formats() -> Pairs:
    """The largest is (2 - 2^-p) 2^(e + 1): the exponents go as far up as down, and one farther."""
    pairs: Pairs = []
    for name, bits, exponent in FORMATS:
        pairs += [
            (f"torch.{name}", HEADING),
            ("smallest above 0:", 2.0 ** (-exponent - bits)),
            ("gap above 1:     ", float(f"{2.0**-bits:.5g}")),
            ("largest:", (2 - 2.0**-bits) * 2.0 ** (exponent + 1)),
        ]
    return pairs


def underflow() -> Pairs:
    """2 w x x with w = 1 and x = 0.0001, each product in float16, of which 0 is left."""
    x = np.float16(0.0001)
    gradient = np.float16(2 * np.float32(x)) * x
    return [
        ("loss:", float(f"{float(x) ** 2:.2e}")),
        ("w.grad:", float(gradient)),
        ("w.grad / scale:", float(gradient)),
    ]


def same_gradient() -> Pairs:
    """2 w x x: as 0.0001 is close enough in bfloat16, both others print the exact one."""
    exact = 2 * 0.0001 * 0.0001
    return [
        ("torch.float32 w.grad:", exact),
        ("torch.bfloat16 w.grad:", exact),
        ("torch.float16 w.grad:", 0.0),
    ]


def lost_update() -> Pairs:
    """Below 1 the numbers are 2^-(p + 1) apart: a step is 0.001, rounded to whole gaps."""
    pairs: Pairs = []
    for name, bits, _ in FORMATS:
        gap = 2.0 ** -(bits + 1)
        w = 1 - 100 * round(0.001 / gap) * gap
        pairs.append((f"torch.{name} w:", float(f"{w:.4f}")))
    return pairs


def autocast_casts() -> Pairs:
    """(w x - 1)^2 at w = (1, 1) and x = (1, 2): small whole numbers, exact in bfloat16."""
    x = np.array([1, 2])
    return [("w.grad: torch.float32 [[", slope(lambda w: (w @ x - 1) ** 2, [1, 1]))]


def autocast_sum() -> Pairs:
    """Above 2^8, numbers with 7 bits behind the point are 2 apart; 257 goes to the even one."""
    gap = 2.0 ** (8 - 7)
    return [("y.sum():", round(257 / gap) * gap), ("y.float().sum():", 257)]


def autocast_bce() -> Pairs:
    """1 / (1 + e^-8), to gaps of 2^-8; the logarithm of 0 is cut at -100, slope 1 - 1."""
    p = 1 / (1 + np.exp(-8))
    rounded = round(p * 2**8) / 2**8
    return [
        ("p:", rounded),
        ("in float32:", p),
        ("loss", 100),
        ("w.grad", rounded * (1 - rounded)),
        ("with logits: loss", float(f"{np.log1p(np.exp(8)):.4f}")),
        ("w.grad", round(p * 2**8) / 2**8),
    ]


def autocast_cached() -> Pairs:
    """w^2 from 1, one step with lr = 0.25; the copy is still 1."""
    w = sgd(1, slope(lambda w: w**2, 1), lr=0.25)
    return [("w after the step:", w), ("same block, layer(x):", 1), ("new block, layer(x):", w)]


def autocast_own_function() -> Pairs:
    """The sum of x w: its slope is x."""
    x = np.array([3, 4])
    return [("w.grad: torch.float32 ", slope(lambda w: x @ w, [1, 1]))]


def clip_order() -> Pairs:
    """(w x)^2 / 2 at w = 1, times 1024; the sum is cut to a norm of 2."""
    grads = [slope(lambda w, x=x: (w * x) ** 2 / 2, 1) for x in (1, 3)]
    return [
        ("x:", 1),
        ("scaled w.grad:", grads[0] * 1024),
        ("x:", 3),
        ("scaled w.grad:", sum(grads) * 1024),
        ("unscale_, w.grad:", sum(grads)),
        ("norm:", sum(grads)),
        ("clipped w.grad:", 2),
        ("w:", sgd(1, 2, lr=0.25)),
    ]


def update_between() -> Pairs:
    """Slopes 1 and 3: both times 1024, or the first times 1 and the second times 2048."""
    mixed = 1 + 3 * 2048
    return [
        ("w.grad:", (1 + 3) * 1024),
        ("scale:", 1024),
        ("w:", sgd(1, 1 + 3, lr=0.25)),
        ("w.grad:", mixed),
        ("scale:", 2048),
        ("w:", float(f"{sgd(1, mixed / 2048, lr=0.25):g}")),
    ]


def scaled_hooks() -> Pairs:
    """w^2 at 1, times 1024."""
    grad = slope(lambda w: w**2, 1)
    return [
        ("hook:", grad * 1024),
        ("hook, divided:", grad),
        ("post-accumulate hook:", grad * 1024),
        ("after unscale_, w.grad:", grad),
    ]


def schedule_skipped() -> Pairs:
    """The slope is 1; lr halves each time, also after the first step, which is not taken."""
    return scheduled(waits=False)


def schedule_taken() -> Pairs:
    """The same, but lr waits for the first step that is taken."""
    return [*scheduled(waits=True), ("warnings:", 0)]


def scheduled(waits: bool) -> Pairs:
    w, lr, pairs = 1.0, 0.5, []
    for number, taken in ((1, False), (2, True), (3, True)):
        w = sgd(w, 1, lr=lr) if taken else w
        lr = lr if waits and not taken else lr / 2
        pairs += [("step", number), ("w:", w), ("next lr:", lr)]
    return pairs


def no_inf_checks() -> Pairs:
    """w is in the loss, v is not."""
    return [("w has a gradient:", True), ("v has a gradient:", False)]


def unscale_twice() -> Pairs:
    """nan halves the scale; then the slope is 1."""
    half = 65536 / 2
    return [
        ("update always:", False),
        ("update always:", True),
        ("step", 1),
        ("w:", 1),
        ("scale:", half),
        ("step", 2),
        ("w:", sgd(1, 1, lr=0.25)),
        ("scale:", half),
    ]


def review_problem() -> Pairs:
    """(w x)^2, times 1024; clipped to 2 with the scale in it."""
    grads = [slope(lambda w, x=x: (w * x) ** 2, 1) for x in (1, 3)]
    logged = [("logged gradient:", grad * 1024) for grad in grads]
    return [*logged, ("w:", sgd(1, 2 / 1024, lr=0.25))]


def review_solution() -> Pairs:
    """Half of each, clipped to 2."""
    grads = [slope(lambda w, x=x: (w * x) ** 2 / 2, 1) for x in (1, 3)]
    return [*[("logged gradient:", grad) for grad in grads], ("w:", sgd(1, 2, lr=0.25))]


def scaler_steps() -> Pairs:
    """w^2: 2 w times the scale, inf above 65504; halved after inf, doubled after two steps."""
    pairs: Pairs = []
    w, scale, taken = 1.0, 65536.0, 0
    for number in range(1, 6):
        scaled = 2 * w * scale
        scaled = np.inf if scaled > 65504 else scaled
        pairs += [
            ("step", number),
            ("scale:", scale),
            ("scaled w.grad:", scaled),
            ("unscaled w.grad:", scaled / scale),
        ]
        if np.isinf(scaled):
            scale, taken = scale / 2, 0
        else:
            w, taken = sgd(w, scaled / scale, lr=0.25), taken + 1
        if taken == 2:
            scale, taken = 2 * scale, 0
        pairs.append(("  w:", w))
    return [*pairs, ("scale at the end:", scale)]


def not_skipped() -> Pairs:
    """A step along inf."""
    return [("w:", sgd(1.0, np.inf, lr=0.25))]


def without_scaler() -> Pairs:
    """w^2 from 1: each step with lr = 0.25 halves w."""
    w, pairs = 1.0, []
    for number in range(1, 4):
        w = sgd(w, 2 * w, lr=0.25)
        pairs += [("step", number), ("w:", w)]
    return pairs
