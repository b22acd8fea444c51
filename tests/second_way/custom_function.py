"""The numbers of `snippets/custom_function/`, found without autograd."""

import math

import numpy as np
import torch

from second_way.tools import HEADING, Pairs, slope

EXCEPTIONS = {
    ("clip_then_in_place", "Output 0"): "PyTorch's message: a place in a list",
    ("for_jvp", "(expected 1, got 0)"): "counts of tensors to unpack and of those that were saved",
    ("checked_round", "output 0 with respect to input 0"): "which output and which input",
    ("changed_after", "is at version 1; expected version 0 instead"): "a count of edits in place",
    ("wrong_count", "(expected 2, got 1)"): "counts of arguments and of what was returned",
    ("jacobian_mismatch", "output 0 with respect to input 0"): "which output and which input",
    ("single_precision", "output 0 with respect to input 0"): "which output and which input",
    ("single_precision", "Input #0"): "which input",
    ("gradcheck_messages", "The 0th input"): "which input",
    ("gradcheck_messages", "stride 0"): "a stride, in a message",
    ("checked_twice", "output 0 with respect to input 0"): "which output and which input",
    ("input_returned", "Output 0"): "which output",
    ("sample_cuts", "element 0 of tensors"): "which tensor",
    ("where_to_keep", "argument 1 is of type int"): "which argument",
    ("trailing_none", "(expected 1, got 2)"): "counts of arguments and of what was returned",
    ("fast_mode", "calls of forward: 4"): "how PyTorch does it",
}


def changed_after() -> Pairs:
    """w^2 at the value that w has after the edit, 2 + 3: the wrong gradient."""
    return [("Attribute w.grad:", slope(lambda w: w**2, 2 + 3))]


def checked_round() -> Pairs:
    """The slope of round at 2.6, and the 1 that backward returns instead."""
    return [("numerical:tensor([[", slope(round_, 2.6)), ("analytical:tensor([[", 1)]


def first() -> Pairs:
    """y = x w^2 at x = 3 and w = 2; the loss is (y - 10)^2."""
    y = 3 * 2**2
    return [
        ("y:", y),
        ("needs_input_grad: (", False),
        (", ", True),
        ("grad_y:", slope(lambda y: (y - 10) ** 2, y)),
        ("w.grad:", slope(lambda w: (3 * w**2 - 10) ** 2, 2)),
        ("x.grad:", None),
    ]


def gradcheck() -> Pairs:
    """5 w^3 at w = 2; without the gradient from the loss side, w^3."""
    return [
        ("right, w.grad:", slope(lambda w: 5 * w**3, 2)),
        ("forgot grad_y, w.grad:", slope(lambda w: w**3, 2)),
        ("right:", True),
        ("forgot grad_y:", False),
    ]


def not_apply() -> Pairs:
    """Passed through, the slope of w; otherwise that of round at 2.6."""
    return [("apply, w.grad:", slope(lambda w: w, 2.6)), ("forward, w.grad:", slope(round_, 2.6))]


def round_(w):
    """To the nearest whole number."""
    return w.round()


def reversal() -> Pairs:
    """(head * feature - 5)^2 at head = 2, feature = 3; for the feature, its sign flipped."""
    return [
        ("head.grad:", slope(lambda head: (head * 3 - 5) ** 2, 2)),
        ("feature.grad:", -slope(lambda feature: (2 * feature - 5) ** 2, 3)),
    ]


def straight_through() -> Pairs:
    """(y - 1)^2 at y = round(2.6) = 3: 0 through the stairs, the slope in y passed through."""
    passed = slope(lambda y: (y - 1) ** 2, 3)
    return [pair for grad in (0, passed, passed) for pair in (("y:", 3), ("w.grad:", grad))]


def at_a_kink() -> Pairs:
    """The mean of the slopes on both sides; backward takes 0 at 0."""
    sides = {"relu at 0.0": (0, 1), "abs at 0.0": (-1, 1), "relu at 0.3": (1, 1)}
    chosen = {"relu at 0.0": 0, "abs at 0.0": 0, "relu at 0.3": 1}
    found = []
    for name, (left, right) in sides.items():
        numerical = (left + right) / 2
        found += [
            (name, HEADING),
            ("numerical:", numerical),
            ("backward:", chosen[name]),
            ("gradcheck:", numerical == chosen[name]),
        ]
    return found


def fast_mode() -> Pairs:
    """Slow: once, then two for each of 1000 inputs."""
    return [
        ("fast_mode: False says:", False),
        ("calls of forward:", 1 + 2 * 1000),
        ("fast_mode: True says:", True),
    ]


def forgot_transpose() -> Pairs:
    """It passes if the weight is its own transpose."""
    weights = {"first": np.array([[4, 1], [1, 4]]), "second": np.array([[4, 1], [3, 4]])}
    return [
        (f"{name} weight says:", bool((weight == weight.T).all()))
        for name, weight in weights.items()
    ]


def jacobian_mismatch() -> Pairs:
    """y = (x0 x1, x1 x2) at (2, 3, 5); the wrong one overwrites the second share of x1."""
    table = slope(lambda x: x[:-1] * x[1:], [2, 3, 5]).T
    wrong = table.copy()
    wrong[1, 1] = 0
    return [("y:", np.array([2 * 3, 3 * 5])), ("numerical:", table), ("analytical:", wrong)]


def only_the_inputs() -> Pairs:
    """x * weight: the gradient returned for the weight has another sign."""
    return [
        ("the module:", True),
        ("the Function:", bool(slope(lambda weight: 3 * weight, 2) == -3)),
    ]


def right_at_this_point() -> Pairs:
    """3 w for the slope of w^3; and 0 for 1e-6, which is less than atol."""
    cubes = [(at, abs(3 * at - slope(lambda w: w**3, at)) < 1e-3) for at in (0.0, 1.0, 2.0)]
    return [
        *[pair for at, same in cubes for pair in (("Cube at", at), ("says:", bool(same)))],
        ("Tiny says:", 1e-6 <= 1e-5),
        ("Tiny, atol 1e-8, says:", 1e-6 <= 1e-8),
    ]


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


def after_backward() -> Pairs:
    """The slope of w^2 at 3, added twice."""
    return [("Attribute second backward, w.grad:", 2 * slope(lambda w: w**2, 3))]


def for_func() -> Pairs:
    """The slope of w^3 at 2."""
    return [("TwoPieces", slope(lambda w: w**3, 2))]


def for_vmap() -> Pairs:
    """w^3 and its slope at 1, 2 and 3, one by one."""
    at = np.array([1.0, 2.0, 3.0])
    return [
        ("Batched:", at**3),
        ("Batched, grad:", np.array([slope(lambda w: w**3, w) for w in at])),
    ]


def hidden_in_a_list() -> Pairs:
    """2 + 3."""
    return [("one by one:", 2 + 3), ("in a list:", 2 + 3)]


def kept_alive() -> Pairs:
    """With y on ctx there is a circle."""
    return [("Attribute y is gone:", False), ("Saved y is gone:", True)]


def legacy() -> Pairs:
    """3 w at 2."""
    return [("new:", 3 * 2)]


def trailing_none() -> Pairs:
    """The slope of 3 w."""
    return [("w.grad:", slope(lambda w: 3 * w, 2))]


def where_to_keep() -> Pairs:
    """The slope of w^3 at 2."""
    return [
        ("forward, grad enabled:", False),
        ("forward, needs_input_grad: (", True),
        (", ", False),
        ("w.grad:", slope(lambda w: w**3, 2)),
    ]


def twice() -> Pairs:
    """The slope of w^3 at 2, and that of 3 w^2."""
    return [
        ("in backward, grad enabled:", True),
        ("slope:", slope(lambda w: w**3, 2)),
        ("slope of the slope:", slope(lambda w: 3 * w**2, 2)),
    ]


def saved_intermediate() -> Pairs:
    """w^6 at 2: 6 w^5 and its slope; with 3 w^2 held at 12, the slope of 2 w^3 * 12."""
    first, second = slope(lambda w: w**6, 2), slope(lambda w: 6 * w**5, 2)
    return [
        ("SavesIntermediate", [first, slope(lambda w: 2 * w**3 * 12, 2)]),
        ("SavesInput", [first, second]),
    ]


def checked_twice() -> Pairs:
    """The slope of 3 w^2 at 2, and of 12."""
    return [
        ("gradcheck:", True),
        ("numerical:", np.array([[slope(lambda w: 3 * w**2, 2)]])),
        ("analytical:", np.array([[0.0]])),
    ]


def returned_too() -> Pairs:
    """w^6 at 2: 6 w^5 and its slope."""
    return [
        ("first:", slope(lambda w: w**6, 2)),
        ("second:", slope(lambda w: 6 * w**5, 2)),
        ("gradgradcheck:", True),
    ]


def once() -> Pairs:
    """w^6 at 2."""
    return [("first:", slope(lambda w: w**6, 2))]


def once_penalty() -> Pairs:
    """w^3 + (3 w^2)^2 at 2; without the second term, w^3."""
    alone = slope(lambda w: w**3, 2)
    return [
        ("Cube slope:", alone),
        ("Cube w.grad:", slope(lambda w: w**3 + (3 * w**2) ** 2, 2)),
        ("Once slope:", alone),
        ("Once w.grad:", alone),
    ]


def saved_output() -> Pairs:
    """exp and its slope at 0."""
    return [("first:", slope(np.exp, 0)), ("second:", slope(np.exp, 0))]


def two_outputs() -> Pairs:
    """5 w^2 + w^3 at 2, then w^3: the gradients of both outputs are their factors."""
    return [
        ("grad_square:", 5),
        ("grad_cube:", 1),
        ("both used, w.grad:", slope(lambda w: 5 * w**2 + w**3, 2)),
        ("grad_square:", 0),
        ("grad_cube:", 1),
        ("cube alone, w.grad:", slope(lambda w: w**3, 2)),
    ]


def none_not_zeros() -> Pairs:
    """w^3 at 2."""
    return [
        ("grad_square:", None),
        ("grad_cube:", 1),
        ("w.grad:", slope(lambda w: w**3, 2)),
    ]


def not_differentiable() -> Pairs:
    """The sum of clamped x, where x is inside; the gradient of the mask is the clamped x."""
    x = np.array([-1.0, 0.5, 2.0])
    inside = ((x > 0) & (x < 1)).astype(float)
    grad = slope(lambda x: np.sum(np.clip(x, 0, 1) * inside), x)
    return [
        ("marked:", False),
        ("inside:", inside),
        ("grad_inside:", np.clip(x, 0, 1)),
        ("x.grad:", grad),
        ("marked:", True),
        ("inside:", inside),
        ("grad_inside:", 0 * x),
        ("x.grad:", grad),
    ]


def in_place() -> Pairs:
    """2 w at 3; the graph without the mark is that of 1 w."""
    return [
        ("marked:", False),
        ("h:", 2 * 3),
        ("w.grad:", slope(lambda w: w, 3)),
        ("marked:", True),
        ("h:", 2 * 3),
        ("w.grad:", slope(lambda w: 2 * w, 3)),
    ]


def input_returned() -> Pairs:
    """Neither output is the input itself."""
    return [("TimesTen y is w:", False), ("Clones y is w:", False)]


def none_for_needed() -> Pairs:
    """w v at w = 2 and v = 3; what comes to v is what goes around the Function."""
    of_w = slope(lambda w: w * 3, 2)
    return [
        ("w.grad:", of_w),
        ("v.grad:", None),
        ("w.grad:", of_w),
        ("v.grad:", slope(lambda v: 4 * v, 3)),
    ]


def sample_cuts() -> Pairs:
    """A drawn number; one that is computed from mu."""
    return [("sample, requires_grad:", False), ("rsample, requires_grad:", True)]


def reparameterized() -> Pairs:
    """(mu + sigma * 0.5)^2 at mu = 1, sigma = 2."""
    return [
        ("z:", 1 + 2 * 0.5),
        ("mu.grad:", slope(lambda mu: (mu + 2 * 0.5) ** 2, 1)),
        ("sigma.grad:", slope(lambda sigma: (1 + sigma * 0.5) ** 2, 2)),
    ]


def log_density(z, mu, sigma):
    """The logarithm of the density of the normal distribution."""
    return -(((z - mu) / sigma) ** 2) / 2 - np.log(sigma) - np.log(2 * np.pi) / 2


def log_prob() -> Pairs:
    """z^2 times the logarithm of the density at z = 2, around 1 with width 2."""
    return [
        ("loss:", 2**2),
        ("stand_in:", round(2**2 * log_density(2, 1, 2), 3)),
        ("mu.grad:", slope(lambda mu: 2**2 * log_density(2, mu, 2), 1)),
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
    return [
        ("rsample:", round(2 * draws().mean(), 2)),
        ("REINFORCE:", round((after**2 * (after - 1)).mean(), 2)),
    ]


def discrete() -> Pairs:
    """5 log p and log(1 - p) at 0.25, weighted by their chances."""
    heads = slope(lambda p: 5 * np.log(p), 0.25)
    tails = slope(lambda p: np.log(1 - p), 0.25)
    return [
        ("has_rsample:", False),
        ("outcome:", 0.0),
        ("chance:", 0.75),
        ("p.grad:", round(float(tails), 2)),
        ("outcome:", 1.0),
        ("chance:", 0.25),
        ("p.grad:", round(float(heads), 2)),
        ("mean of p.grad:", slope(lambda p: (1 - p) + 5 * p, 0.25)),
    ]


def step_loss() -> Pairs:
    """The density at 0, by the slope of the chance that z is above 0."""
    chance = slope(lambda mu: 0.5 * (1 + math.erf(float(mu) / 2**0.5)), 1.0)
    return [
        ("rsample, requires_grad:", False),
        ("REINFORCE:", round(float(chance), 2)),
        ("exact:", round(float(chance), 2)),
    ]


def best_baseline() -> Pairs:
    """30 - 8 b + b^2."""
    return [
        pair
        for b in (0, 2, 4, 6)
        for pair in (("baseline:", b), ("mean:", 2.0), ("variance:", 30 - 8 * b + b**2))
    ]


def clip_inside() -> Pairs:
    """100 w + w at 1: the share of the first is at most 2."""
    loud, quiet = slope(lambda w: 100 * w, 1), slope(lambda w: w, 1)
    return [("loss:", 100 + 1), ("w.grad:", np.clip(loud, -2, 2) + quiet)]


def clip_three_places() -> Pairs:
    """100 w + w at 1: one share clipped, or their sum."""
    loud, quiet = slope(lambda w: 100 * w, 1), slope(lambda w: w, 1)
    return [
        ("Function w.grad:", np.clip(loud, -2, 2) + quiet),
        ("hook w.grad:", np.clip(loud, -2, 2) + quiet),
        (".grad w.grad:", np.clip(loud + quiet, -2, 2)),
    ]


def before_or_after() -> Pairs:
    """500 clipped; or 100 clipped, times 5."""
    return [
        ("before the factor 5, w.grad:", np.clip(slope(lambda w: 100 * 5 * w, 1), -2, 2)),
        ("after the factor 5, w.grad:", 5 * np.clip(slope(lambda y: 100 * y, 5), -2, 2)),
    ]


def clip_and_scale() -> Pairs:
    """The slope of 3 h times the scale, clipped, and divided by it."""
    found = []
    for scale in (1, 1024):
        grad = slope(lambda h, scale=scale: scale * 3 * h, 1)
        found += [
            ("scale:", scale),
            ("grad_y:", grad),
            ("w.grad / scale:", np.clip(grad, -2, 2) / scale),
        ]
    return found


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


def clip_then_in_place() -> Pairs:
    """5 times 100 relu, which is clipped before the factor 5."""
    at_relu = slope(lambda h: np.sum(100 * np.maximum(h, 0)), 5 * np.array([1.0, -1.0]))
    return [("w.grad:", 5 * np.clip(at_relu, -2, 2))]


def clip_checked() -> Pairs:
    """A gradient of 1 is clipped by the second limit."""
    return [pair for limit in (2.0, 0.5) for pair in (("limit:", limit), ("says:", limit >= 1))]


def review_problem() -> Pairs:
    """5 v w^2 at v = 3 and w = 2; what is returned for w is 5 * 2 w, with w = 2 + 1."""
    return [
        ("gradcheck:", True),
        ("slope of y in v:", slope(lambda v: v * 2**2, 3)),
        ("v.grad:", slope(lambda v: 5 * v * 2**2, 3)),
        ("w.grad:", 5 * slope(lambda w: w**2, 2 + 1)),
    ]


def review_solution() -> Pairs:
    """5 v w^2 at v = 3 and w = 2."""
    return [
        ("gradcheck:", True),
        ("gradgradcheck:", True),
        ("slope of y in v:", slope(lambda v: v * 2**2, 3)),
        ("v.grad:", slope(lambda v: 5 * v * 2**2, 3)),
        ("w.grad:", slope(lambda w: 5 * 3 * w**2, 2)),
    ]


def for_jvp() -> Pairs:
    """The slope of x^2 at 3."""
    return [("save_for_forward: True", slope(lambda x: x**2, 3))]


def under_no_grad() -> Pairs:
    """Whether there is a node, which holds what was kept."""
    return [
        ("recording: True grad_fn:", True),
        ("still there, saved and kept: [", True),
        (",", True),
        ("recording: False grad_fn:", False),
        ("still there, saved and kept: [", False),
        (",", False),
    ]
