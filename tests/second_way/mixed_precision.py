"""The numbers of `snippets/mixed_precision/`, found without autograd.

A float of p bits behind its point and a least exponent e: the smallest is 2^(e - p), the gap
above 1 is 2^-p. Its roundings here are those of NumPy's float16, or are written out.
"""

import numpy as np

from second_way import HEADING, Pairs, rounded

FORMATS = (("float32", 23, 126), ("bfloat16", 7, 126), ("float16", 10, 14))
"""Name, bits behind the point, and the least exponent, without its minus."""


def three_formats() -> Pairs:
    """The largest is (2 - 2^-p) 2^(e + 1): the exponents go as far up as down, and one farther."""
    pairs: Pairs = []
    for name, bits, exponent in FORMATS:
        pairs += [
            (f"torch.{name}", HEADING),
            ("smallest above 0:", 2.0 ** (-exponent - bits)),
            ("gap above 1:     ", rounded(2.0**-bits, ".5g")),
            ("largest:", (2 - 2.0**-bits) * 2.0 ** (exponent + 1)),
        ]
    return pairs


def underflow() -> Pairs:
    """2 w x x with w = 1 and x = 0.0001, each product in float16, of which 0 is left."""
    x = np.float16(0.0001)
    gradient = float(np.float16(2 * np.float32(x)) * x)
    return [("w.grad:", gradient), ("w.grad / scale:", gradient)]


def lost_update() -> Pairs:
    """Below 1 the numbers are 2^-(p + 1) apart: a step is 0.001, rounded to whole gaps."""
    gaps = {name: 2.0 ** -(bits + 1) for name, bits, _ in FORMATS}
    after = {name: 1 - 100 * round(0.001 / gap) * gap for name, gap in gaps.items()}
    return [(f"torch.{name} w:", rounded(w, ".4f")) for name, w in after.items()]


def autocast_bce() -> Pairs:
    """1 / (1 + e^-8), to gaps of 2^-8; the logarithm of 0 is cut at -100, slope 1 - 1."""
    p = 1 / (1 + np.exp(-8))
    near = round(p * 2**8) / 2**8
    return [("in float32:", p), ("w.grad", near * (1 - near))]
