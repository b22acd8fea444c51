"""The numbers of `snippets/custom_function/`, found without autograd."""

import math

import numpy as np
import torch

from second_way.tools import HEADING, Pairs, slope


def jacobian_mismatch() -> Pairs:
    """y = (x0 x1, x1 x2) at (2, 3, 5); the wrong one overwrites the second share of x1."""
    table = slope(lambda x: x[:-1] * x[1:], [2, 3, 5]).T
    wrong = table.copy()
    wrong[1, 1] = 0
    return [("numerical:", table), ("analytical:", wrong)]


def single_precision() -> Pairs:
    """w^3 at 2 with a step of 1e-6, in both precisions."""
    eps = 1e-6
    found = []
    for dtype in (np.float32, np.float64):
        up, down = (dtype(dtype(2) + dtype(sign * eps)) for sign in (1, -1))
        up, down = float(up * up * up), float(down * down * down)
        found.append(("up:", up, "down:", down, "slope:", (up - down) / (2 * eps)))
    return [
        ("numerical:", np.array([[found[0][5]]])),
        ("analytical:", np.array([[3 * 2**2]])),
        *[
            pair
            for values in found
            for pair in ((values[0], values[1]), (values[2], values[3]), (values[4], values[5]))
        ],
        ("float64:", True),
    ]


def not_differentiable() -> Pairs:
    """The sum of clamped x, where x is inside; the gradient of the mask is the clamped x."""
    x = np.array([-1.0, 0.5, 2.0])
    inside = ((x > 0) & (x < 1)).astype(float)
    grad = slope(lambda x: np.sum(np.clip(x, 0, 1) * inside), x)
    return [
        ("inside:", inside),
        ("grad_inside:", np.clip(x, 0, 1)),
        ("x.grad:", grad),
        ("inside:", inside),
        ("x.grad:", grad),
    ]


def draws() -> np.ndarray:
    """The million draws of the scripts, around 1."""
    generator = torch.Generator().manual_seed(0)
    return 1 + torch.randn(1_000_000, dtype=torch.float64, generator=generator).numpy()


def two_estimates() -> Pairs:
    """The mean of the draws; the variance by its closed form: 4, 34 - 4 and 22 - 4."""
    z = draws()
    each = {
        "rsample": (2 * z, 4),
        "REINFORCE": (z**2 * (z - 1), 30),
        "minus 2": ((z**2 - 2) * (z - 1), 18),
    }
    return [
        pair
        for name, (values, variance) in each.items()
        for pair in (
            (name, HEADING),
            (", mean:", round(values.mean(), 2)),
            (", variance:", variance),
        )
    ]


def with_torch() -> Pairs:
    """The slope of mu^2 + 1, found by draws: 2z, then z^2 (z - 1) with the million after those."""
    generator = torch.Generator().manual_seed(0)
    torch.randn(1_000_000, dtype=torch.float64, generator=generator)
    after = 1 + torch.randn(1_000_000, dtype=torch.float64, generator=generator).numpy()
    return [("REINFORCE:", round((after**2 * (after - 1)).mean(), 2))]


def step_loss() -> Pairs:
    """The density at 0, by the slope of the chance that z is above 0."""
    chance = slope(lambda mu: 0.5 * (1 + math.erf(float(mu) / 2**0.5)), 1.0)
    return [("REINFORCE:", round(float(chance), 2)), ("exact:", round(float(chance), 2))]


def clip_unscaled() -> Pairs:
    """The slope of 3 h times the scale, which halves while that is beyond float16's 65504."""
    found: Pairs = []
    w, scale = 1.0, 65536.0
    for number in (1, 2, 3):
        arrives = scale * slope(lambda h: 3 * h, 1)
        clipped = np.clip(arrives / scale, -2, 2)
        fits = arrives <= 65504
        w -= 0.25 * clipped * fits
        found += [
            ("step", number),
            ("scale:", scale),
            ("grad_y:", arrives if fits else np.inf),
            ("unscaled w.grad:", clipped if fits else np.inf),
            ("w:", w),
        ]
        scale /= 2
    return found
