"""The numbers of `snippets/mixed_precision/`, found without autograd.

A float of p bits behind its point and a least exponent e: the smallest is 2^(e - p), the gap
above 1 is 2^-p. Its roundings here are those of NumPy's float16, or are written out.
"""

import numpy as np

from second_way.tools import HEADING, Pairs, sgd

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
    return [("w.grad:", float(gradient)), ("w.grad / scale:", float(gradient))]


def lost_update() -> Pairs:
    """Below 1 the numbers are 2^-(p + 1) apart: a step is 0.001, rounded to whole gaps."""
    pairs: Pairs = []
    for name, bits, _ in FORMATS:
        gap = 2.0 ** -(bits + 1)
        w = 1 - 100 * round(0.001 / gap) * gap
        pairs.append((f"torch.{name} w:", float(f"{w:.4f}")))
    return pairs


def autocast_bce() -> Pairs:
    """1 / (1 + e^-8), to gaps of 2^-8; the logarithm of 0 is cut at -100, slope 1 - 1."""
    p = 1 / (1 + np.exp(-8))
    rounded = round(p * 2**8) / 2**8
    return [("in float32:", p), ("w.grad", rounded * (1 - rounded))]


def update_between() -> Pairs:
    """Slopes 1 and 3: both times 1024, or the first times 1 and the second times 2048."""
    mixed = 1 + 3 * 2048
    return [("w:", sgd(1, 1 + 3, lr=0.25)), ("w:", float(f"{sgd(1, mixed / 2048, lr=0.25):g}"))]


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
