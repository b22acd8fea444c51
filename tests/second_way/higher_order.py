"""The numbers of `snippets/higher_order/`, found without autograd."""

import numpy as np

from second_way.tools import HEADING, Pairs, mse, slope


def constant() -> Pairs:
    """4 x with the square at 2 held fixed, and x^3 where it isn't."""
    held, through = slope(lambda x: 2**2 * x, 2), slope(lambda x: x**3, 2)
    return [
        ("with_no_grad:", HEADING),
        ("  jacrev:", held),
        ("  jacfwd:", through),
        ("with_detach:", HEADING),
        ("  jacrev:", held),
        ("  jacfwd:", held),
    ]


def counted() -> Pairs:
    """A product of a (n, m) and a (m, k) matrix takes n m k multiplications and as many sums."""
    pairs: Pairs = []
    for outputs, inputs in ((200, 2), (2, 200)):
        pairs += [
            ("inputs:", inputs),
            (", outputs:", outputs),
            ("  jacrev:", 2 * inputs * outputs * outputs),
            ("  jacfwd:", 2 * outputs * inputs * inputs),
        ]
    return pairs


def forgot_call() -> Pairs:
    """(w x)^2 at w = (1, 2), x = (1, 1), as a constant and as a function of w."""
    return [
        ("forgot: loss", (1 + 2) ** 2),
        ("gradient:", slope(lambda w: 0.0 * w[0] + 9, [1, 2])),
        ("right: loss", (1 + 2) ** 2),
        ("gradient:", slope(lambda w: (w[0] + w[1]) ** 2, [1, 2])),
    ]


def forward_mode() -> Pairs:
    """w, w^2 and w^3 + 5 w at 2, each with its slope."""
    functions = {"w": lambda w: w, "square": lambda w: w**2, "y": lambda w: w**3 + 5 * w}
    pairs: Pairs = []
    for name, f in functions.items():
        pairs += [(f"{name}: value", f(2)), ("  tangent", slope(f, 2))]
    return [*pairs, ("y.grad_fn:", None), ("backward, w.grad:", slope(functions["y"], 2))]


def from_outside() -> Pairs:
    """The slope of 5 w^2 at 3; that slope is 2 w scale, and so has a slope in scale."""
    return [
        ("gradient:", slope(lambda w: 5 * w**2, 3)),
        ("requires_grad:", True),
        ("scale.grad:", slope(lambda scale: 2 * 3 * scale, 5)),
    ]


def grad_inside() -> Pairs:
    """x^4 at 2: its slope, and the slope of that, which is 0 for a constant."""
    value, second = slope(lambda x: x**4, 2), slope(lambda x: 4 * x**3, 2)
    return [
        pair
        for derivative in (0, second, second)
        for pair in (("value:", value), ("its derivative:", derivative))
    ]


def hook_changes() -> Pairs:
    """(3 x)^2 at 2: what arrives at y = 3 x is clipped to 1."""
    y = 3 * 2
    arriving = slope(lambda y: y**2, y)
    return [("grad:", np.minimum(arriving, 1) * slope(lambda x: 3 * x, 2))]


def inner_step() -> Pairs:
    """A step of 0.1 on (2 w)^2 from w = 1, then (m - 2)^2; g = 8 held fixed, and not."""
    g = slope(lambda w: (2 * w) ** 2, 1)
    pairs: Pairs = []
    for name, moved in (("False", lambda w: w - 0.1 * g), ("True", lambda w: w - 0.1 * 8 * w)):
        pairs += [
            (f"create_graph={name}:", HEADING),
            ("  g:", g),
            ("  moved:", moved(1)),
            ("  w.grad:", slope(lambda w, moved=moved: (moved(w) - 2) ** 2, 1)),
        ]
    return pairs


def learning_rate_limit() -> Pairs:
    """The second derivatives (6, 4) and (4, 6): their largest eigenvalue; steps of two sizes."""
    matrix = slope(lambda w: np.array([6 * w[0] + 4 * w[1], 4 * w[0] + 6 * w[1]]), [1, 0])
    pairs: Pairs = [("largest curvature:", np.linalg.eigvalsh(matrix).max())]
    for lr in (0.18, 0.22):
        w = np.array([1.0, 0.0])
        for _ in range(100):
            w = w - lr * matrix @ w
        pairs += [("lr", lr), (": loss below 0.001:", bool(w @ matrix @ w / 2 < 0.001))]
    return pairs


def no_forward() -> Pairs:
    """The length of (3, 4)."""
    return [("jacrev: tensor([", slope(lambda x: np.sqrt(np.sum(x**2)), [3, 4]))]


def one_direction() -> Pairs:
    """w0^2 w1 + w1^3 at (1, 2): the slopes of its gradient, times v = (1, -1)."""

    def gradient(w):
        return np.array([2 * w[0] * w[1], w[0] ** 2 + 3 * w[1] ** 2])

    product = slope(gradient, [1, 2]) @ np.array([1, -1])
    return [
        ("gradient:", gradient(np.array([1, 2]))),
        ("twice backward:", product),
        ("forward over backward:", product),
        ("whole matrix times v:", product),
    ]


def per_sample() -> Pairs:
    """(w x - target)^2 at w = (1, 2), for each sample, and the mean over all."""
    x = np.array([[1.0, 0], [0, 1], [1, 1], [2, -1]])
    target = np.array([0.0, 1, 2, 1])
    each = [slope(lambda w, i=i: (x[i] @ w - target[i]) ** 2, [1, 2]) for i in range(4)]
    pairs: Pairs = [("whole batch, .grad:", slope(lambda w: mse(x @ w, target), [1, 2]))]
    for i, gradient in enumerate(each):
        pairs += [("  sample", i), ("gradient:", gradient)]
    return [
        *pairs,
        ("  forward calls:", len(x)),
        ("vmap(grad), shape: (", len(x)),
        (", ", 1),
        (", ", 2),
        (")", np.stack(each)),
        ("  forward calls:", 1),
    ]


def penalty(activation_slope, w, x, b, v):
    """(the slope of v f(w x + b) at x, minus 1) squared."""
    return (v * w * activation_slope(w * x + b) - 1) ** 2


def relu_penalty() -> Pairs:
    """v w where w x + b is positive, at w = 2, x = 1, b = 1, v = 3."""

    def step(z):
        return 1.0 * (z > 0)

    at = {"w": 2.0, "x": 1.0, "b": 1.0, "v": 3.0}
    gradients = [
        (
            f"{name}.grad:",
            slope(lambda value, name=name: penalty(step, **at | {name: value}), at[name]),
        )
        for name in ("w", "v", "b", "x")
    ]
    return [
        ("g:", slope(lambda x: 3 * max(2 * x + 1, 0), 1)),
        ("penalty:", penalty(step, **at)),
        *gradients,
    ]


def softplus_penalty() -> Pairs:
    """The slope of relu is a step; that of softplus is 1 / (1 + exp(-z))."""
    pairs: Pairs = []
    for name, f in (
        ("relu", lambda z: 1.0 * (z > 0)),
        ("softplus", lambda z: 1 / (1 + np.exp(-z))),
    ):
        pairs += [
            (f"{name}:", HEADING),
            ("  g:", 2 * 3 * f(3 * 1 - 2)),
            ("  gradient of the penalty at b:", slope(lambda b, f=f: penalty(f, 3, 1, b, 2), -2)),
        ]
    return pairs


def which_hooks() -> Pairs:
    """(w x)^2 at w = 3, x = 2: its slope, and the slope of 2 w x^2."""
    first = slope(lambda w: (w * 2) ** 2, 3)
    return [
        ("  w.grad:", first),
        ("  gradient:", first),
        ("w.grad:", None),
        ("  w.grad:", slope(lambda w: 2 * w * 2**2, 3)),
    ]


def zero_or_error() -> Pairs:
    """3 w and |w| at 2, their slopes, and the slopes of these."""
    return [
        ("line: first", slope(lambda w: 3 * w, 2)),
        ("second: element", 0),
        ("  grad(grad(f)):", slope(lambda w: 3 + 0 * w, 2)),
        ("size: first", slope(abs, 2)),
        ("second:", slope(np.sign, 2)),
        ("  grad(grad(f)):", slope(np.sign, 2)),
    ]


REVIEW_X = np.array([[1.0, 0], [1, 2], [1, 1], [1, 1]])


def review_problem() -> Pairs:
    """x w, whose slope at each x is w; the norm of all eight numbers, and only the mean in w."""
    slopes = np.tile([3.0, 4.0], (4, 1))
    return [
        ("penalty:", (np.sqrt(np.sum(slopes**2)) - 1) ** 2),
        ("w.grad:", slope(lambda w: np.mean(REVIEW_X @ w), [3, 4])),
    ]


def review_solution() -> Pairs:
    """The same with the norm of w for each sample, and the penalty a function of w."""

    def penalty(w):
        return (np.sqrt(np.sum(w**2)) - 1) ** 2

    return [
        ("penalty:", penalty(np.array([3.0, 4.0]))),
        ("w.grad:", slope(lambda w: np.mean(REVIEW_X @ w) + penalty(w), [3, 4])),
        ("norms, by vmap(grad):", np.full(4, np.hypot(3, 4))),
    ]


def rows_or_columns() -> Pairs:
    """(x0 x1, x0^2, 3 x1) at (2, 5): columns, rows, all."""
    jacobian = slope(lambda x: np.array([x[0] * x[1], x[0] ** 2, 3 * x[1]]), [2, 5])
    pairs: Pairs = []
    for i in range(2):
        pairs += [("jvp [", np.eye(2)[i]), ("] column:", jacobian[:, i])]
    for i in range(3):
        pairs += [("vjp [", np.eye(3)[i]), ("] row:", jacobian[i])]
    return [*pairs, ("jacfwd:", jacobian), ("jacrev the same:", True)]


def two_inner_steps() -> Pairs:
    """m - 0.1 * 8 m, twice, from 1."""

    def moved(w, steps):
        for _ in range(steps):
            w = w - 0.1 * 8 * w
        return w

    return [
        ("step", 0),
        (": moved", moved(1, 1)),
        ("step", 1),
        (": moved", moved(1, 2)),
        ("derivative of moved at w:", slope(lambda w: moved(w, 2), 1)),
    ]


def vmap_accepts() -> Pairs:
    """x max(x), x, and x or -x by the sign of its sum, row by row."""
    x = np.array([[1.0, 2], [-3, 1]])
    return [
        ("stays_tensor:", np.stack([row * row.max() for row in x])),
        ("in_place:", x),
        ("branch:", np.stack([row if row.sum() > 0 else -row for row in x])),
        ("one_place:", [row[i] for row, i in zip(x, (1, 0), strict=True)]),
        ("before:", [row[:i].sum() for row, i in zip(x, (1, 0), strict=True)]),
    ]


EXCEPTIONS = {
    ("vmap_refuses", "output with shape [2] doesn't match the broadcast shape [2, 2]"): "shapes",
}


def penalty_work() -> Pairs:
    """Each of the 4 layers is a product; a product that is recorded takes two on the way back."""
    layers = 4
    return [
        ("without, forward:", layers),
        ("without, backward:", 2 * layers - 1),
        ("with, forward:", layers),
        ("with, gradient at x:", layers),
        ("with, backward:", 2 * (layers + layers)),
    ]


def twice_today() -> Pairs:
    """Log of a probability, at two equal scores, and the sum of (3 x)^2 at 0, moved a little."""

    def log_softmax(x):
        return x[0] - np.log(np.sum(np.exp(x)))

    def convolution(x):
        return np.sum((3 * x) ** 2)

    pairs: Pairs = []
    for f in (log_softmax, convolution):
        first = slope(f, [0.0, 0])
        second = slope(lambda x, f=f: slope(f, x, 1e-4), [0.0, 0], 1e-4)[0]
        pairs += [(f"{f.__name__}: first", first), ("  second:", second)]
    return pairs


def rows_and_hook() -> Pairs:
    """(w x)^2 of each sample at w = (1, 2); the hook is called once for all."""
    x = np.array([[1.0, 0], [0, 1], [1, 1]])
    rows = slope(lambda w: (x @ w) ** 2, [1.0, 2])
    return [
        ("vmap(grad):", rows),
        ("calls of the tensor hook:", 1),
        ("is_grads_batched:", rows),
    ]
