"""The numbers of `snippets/module_hooks/`, found without autograd."""

import numpy as np

from second_way.tools import Pairs, slope

ROWS = np.array([[1.0, 2, 3], [-4, -5, -6], [7, 8, 9], [-10, -11, -12]])
SHIFT, LAST = np.array([1.0, 2, 3, 4]), np.array([1.0, 2, 3, 4])


def three_four_one(x: np.ndarray) -> dict[str, np.ndarray]:
    """fc1: ROWS x + SHIFT; relu: max(0, fc1); fc2: LAST relu + 1."""
    fc1 = ROWS @ x + SHIFT
    relu = np.maximum(fc1, 0)
    return {"fc1": fc1, "relu": relu, "fc2": LAST @ relu + 1}


# Forward hooks.


def accidental_return() -> Pairs:
    """y = 3 (2x); the careless hook gives fc2 the first 2x = 2 forever, as a constant."""
    xs = np.array([1.0, 10])

    def y(w1, w2):
        return xs * w1 * w2

    def frozen(w2):
        return np.array([2.0, 2.0]) * w2

    def lines(values):
        return [pair for x, v in zip(xs, values, strict=True) for pair in ((" x:", x), (" y:", v))]

    return [
        *lines(y(2, 3)),
        ("fc1.weight.grad:", slope(lambda w: y(w, 3).sum(), 2)),
        ("fc2.weight.grad:", slope(lambda w: y(2, w).sum(), 3)),
        *lines(frozen(3)),
        ("fc1.weight.grad:", None),
        ("fc2.weight.grad:", slope(lambda w: frozen(w).sum(), 3)),
    ]


def captured_gradient() -> Pairs:
    """The slope of the network behind the layer, and at relu its product with the value."""
    value = three_four_one(np.ones(3))
    at_relu = slope(lambda relu: LAST @ relu + 1, value["relu"])
    return [
        ("fc1, gradient:", slope(lambda fc1: LAST @ np.maximum(fc1, 0) + 1, value["fc1"])),
        ("relu, output:", value["relu"]),
        ("relu, output * gradient:", value["relu"] * at_relu),
    ]


def features() -> Pairs:
    """The 3-4-1 network at ones."""
    return [(f"{name}:", value) for name, value in three_four_one(np.ones(3)).items()]


def once_per_pass() -> Pairs:
    """u = 3x, loss u^2 at x = 1: its gradient by u; then the penalty (2u * 3)^2 by u and by x."""
    at_u = slope(lambda u: u**2, 3)
    penalty_at_u = slope(lambda u: (2 * u * 3) ** 2, 3)
    return [("hook, grad_output:", at_u), ("x.grad:", 3 * penalty_at_u)]


# Backward hooks.


def replace_gradient() -> Pairs:
    """5 y, y = w x, x = 4u at w = 3, u = 1; doubled at x (full hook) or at y (pre-hook)."""
    at_y = slope(lambda y: 5 * y, 12)
    w_per_y, x_per_y = slope(lambda w: w * 4, 3), slope(lambda x: 3 * x, 4)
    u_per_x = slope(lambda u: 4 * u, 1)
    pairs: Pairs = []
    for at_output, at_input in ((1, 1), (1, 2), (2, 1)):
        y = at_output * at_y
        pairs += [
            ("fc.weight.grad:", y * w_per_y),
            ("u.grad:", y * x_per_y * at_input * u_per_x),
        ]
    return pairs
