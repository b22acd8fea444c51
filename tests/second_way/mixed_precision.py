"""The numbers of `snippets/mixed_precision/`, found without autograd.

A float of p bits behind its point and a least exponent e: the smallest is 2^(e - p), the gap
above 1 is 2^-p. Its roundings here are those of NumPy's float16, or are written out.
"""

import numpy as np

from second_way.tools import HEADING, Pairs, sgd, slope

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
    """1 / (1 + e^-8), to gaps of 2^-8; the logarithm of 0 is cut at -100, and 1 - 1 is its slope."""
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
