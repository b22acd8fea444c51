"""The numbers of `snippets/sharing/`, found without autograd."""

import numpy as np

from second_way.tools import HEADING, Pairs, coef, sgd, slope

EXCEPTIONS = {
    ("old_hook", "grad_input holds: 2"): "a count of what the hook is handed",
    ("old_hook", "grad_input holds: 1"): "a count of what the hook is handed",
    ("tied_once", "parameters: 1"): "a count of parameters",
    ("tied_once", "'0.weight', '1.weight'"): "names in a state_dict",
}


def two_calls(a, b):
    """loss = mean(a + 2b), a and b being the outputs of the two calls."""
    return np.mean(a + 2 * b)


def coef_gradient(x: np.ndarray) -> np.ndarray:
    """d(loss)/d(coef) where both calls take x: a = b = coef * x."""
    return slope(lambda c: two_calls(c * x, c * x), coef())


def grad_outputs(c: np.ndarray) -> tuple[float, float]:
    """The means of d(loss)/da and d(loss)/db, where a = b = c * 1."""
    return (
        slope(lambda a: two_calls(a, c), c).mean(),
        slope(lambda b: two_calls(c, b), c).mean(),
    )


def called_in_reverse() -> Pairs:
    """Here b is computed first, so that a comes first in backward."""
    at_a, at_b = grad_outputs(np.ones((1, 1, 40, 40)))
    return [("hook:", at_a), ("hook:", at_b)]


def called_twice() -> Pairs:
    """Here a is computed first, so that b comes first in backward; coef gets both."""
    at_a, at_b = grad_outputs(coef())
    return [
        ("hook, mean of grad_output:", at_b),
        ("hook, mean of grad_output:", at_a),
        ("mean of coef.grad:", coef_gradient(np.ones((1, 1, 40, 40))).mean()),
        ("float32 holds less than 2/1600:", bool(np.float32(2 / 1600) < np.float64(2 / 1600))),
    ]


def copy_or_assign() -> Pairs:
    """sum(w @ x) for x = (1, 1), one step from w = (1, 2) with lr = 1; the copy stays."""
    w = np.array([[1.0, 2]])
    moved = sgd(w, slope(lambda w: np.sum(w @ np.ones(2)), w), lr=1)
    return [
        ("after step, one:", moved),
        ("after step, copied:", w),
        ("after step, tied:", moved),
    ]


def embedding_bag() -> Pairs:
    """The sum of the mean of rows 0 and 1, by the three rows."""
    rows = np.ones((3, 2))
    return [
        ("same storage:", True),
        ("same object:", False),
        ("bag.weight.grad:", slope(lambda rows: np.sum(rows[:2].mean(axis=0)), rows)),
        ("embedding.weight.grad:", None),
        ("by default, requires_grad:", False),
    ]


def input_sees_sum() -> Pairs:
    """d(loss)/dx where a = b = coef * x, at x = 1; and its formula."""
    seen = slope(lambda x: two_calls(coef() * x, coef() * x), np.ones((1, 1, 40, 40)))
    return [
        ("hook on x, mean of grad:", seen.mean()),
        ("3 * mean(coef) / 1600:", 3 * coef().mean() / 1600),
    ]


def max_and_min() -> Pairs:
    """One step with lr = 1: how far max and min move, for input ones and for 0 ... 1599."""
    pairs: Pairs = []
    for heading, x in (
        ("input all ones:", np.ones((1, 1, 40, 40))),
        ("input 0, 1, ..., 1599:", np.arange(1600.0).reshape(1, 1, 40, 40)),
    ):
        old, gradient = coef(), coef_gradient(x)
        new = sgd(old, gradient, lr=1)
        pairs += [
            (heading, HEADING),
            ("  max moved by", old.max() - new.max()),
            ("  min moved by", old.min() - new.min()),
            ("  max was element", old.argmax()),
            (", now", new.argmax()),
            ("  min was element", old.argmin()),
            (", now", new.argmin()),
            ("  each element: new == old - lr * grad:", True),
            (
                "  mean: new == old - lr * mean of grad:",
                bool(np.isclose(new.mean(), old.mean() - gradient.mean())),
            ),
        ]
    return pairs


def old_hook() -> Pairs:
    """mean(net(x) + 2 net(x)): the second call, with the factor 2, first; both hooks alike."""
    at_a, at_b = grad_outputs(coef())
    label = "  mean of grad_output:"
    return [(label, at_b), (label, at_a), (label, at_b), (label, at_a)]


def one_step() -> Pairs:
    """One step with lr = 1, input ones: mean, max, min of coef before and after, and its twin's."""
    gradient = coef_gradient(np.ones((1, 1, 40, 40)))

    def show(name, p):
        return [(f"{name}: mean", p.mean()), ("max", p.max()), ("min", p.min())]

    return [
        *show("before step, coef", coef()),
        *show("after step, coef", sgd(coef(), gradient, lr=1)),
        *show("after step, twin", coef()),
        ("twin.grad:", None),
        ("twin has the same storage:", False),
        ("every coef.grad is 3/1600:", np.allclose(gradient, 3 / 1600)),
    ]


def one_step_or_two() -> Pairs:
    """(w - 1)^2 and (w - 3)^2 from w = 0 with lr = 0.25: their sum, or one after the other."""
    pairs: Pairs = []
    for rounds in ([(1, 3)], [(1,), (3,)]):
        w = 0.0
        for ends in rounds:
            gradient = slope(lambda w, ends=ends: sum((w - end) ** 2 for end in ends), w)
            w = sgd(w, gradient, lr=0.25)
            pairs += [("  w.grad:", gradient), (" w:", w)]
    return pairs


def two_memories() -> Pairs:
    """(w - 2)^2 and (w - 3)^2 from w = 1: by the formulas of momentum and of Adam."""

    def walk(kind, rounds):
        w, buffer, m, v = 1.0, 0.0, 0.0, 0.0
        for step, ends in enumerate(rounds, start=1):
            gradient = sum(2 * (w - end) for end in ends)
            if kind == "momentum":
                buffer = 0.9 * buffer + gradient
                w -= 0.1 * buffer
            else:
                m = 0.9 * m + 0.1 * gradient
                v = 0.999 * v + 0.001 * gradient**2
                w -= 0.1 * (m / (1 - 0.9**step)) / (np.sqrt(v / (1 - 0.999**step)) + 1e-8)
        return w

    pairs: Pairs = []
    for kind in ("momentum", "Adam"):
        pairs += [
            (f"{kind}, once:", walk(kind, [(2, 3)])),
            (f"{kind}, twice:", walk(kind, [(2,), (3,)])),
        ]
    return pairs


def two_stages() -> Pairs:
    """3 a - b^2 from (1, 2), two steps with lr = 0.125; tied, its slope is 3 - 2 a."""
    pairs: Pairs = []
    for name in ("one parameter", "two, not added", "two, gradients added"):
        a = b = np.array([1.0, 2.0])
        for _ in range(2):
            at_a, at_b = np.array([3.0, 3.0]), -2 * b
            if name != "two, not added":
                at_a = at_b = at_a + at_b
            a, b = sgd(a, at_a, lr=0.125), sgd(b, at_b, lr=0.125)
        pairs += [(name, HEADING), ("  first:", a), ("  last:", b)]
    return pairs


def review_problem() -> Pairs:
    """(a - 3 b)^2 at a = b = 2, by a and by b; each goes its own step."""
    left = slope(lambda a: (a - 3 * 2) ** 2, 2)
    right = slope(lambda b: (2 - 3 * b) ** 2, 2)
    return [
        ("left, gradient:", left),
        ("right, gradient:", right),
        ("left, after step:", 2 - 0.1 * left),
        ("right, after step:", 2 - 0.1 * right),
    ]


def review_solution() -> Pairs:
    """(w - 3 w)^2 at w = 2, and (w - 6)^2 where the right branch is a constant."""
    both, one = slope(lambda w: (w - 3 * w) ** 2, 2), slope(lambda w: (w - 6) ** 2, 2)
    return [
        pair
        for grad in (both, one)
        for pair in (("gradient:", grad), ("after step:", 2 - 0.1 * grad))
    ]


def small_steps() -> Pairs:
    """(w - 1)^2 and (w - 3)^2 from w = 0, a step on both at once or one after the other."""
    pairs: Pairs = []
    for lr in (0.25, 0.0025):
        once = sgd(0, slope(lambda w: (w - 1) ** 2 + (w - 3) ** 2, 0), lr)
        first = sgd(0, slope(lambda w: (w - 1) ** 2, 0), lr)
        twice = sgd(first, slope(lambda w: (w - 3) ** 2, first), lr)
        pairs += [("lr", lr), (": once w=", once), ("twice w=", twice), ("gap=", once - twice)]
    return pairs


def small_twins() -> Pairs:
    """sum(w x1), sum(w x2) and both, at w = (1, 2)."""
    x1, x2 = np.array([1, 3]), np.array([5, 7])
    return [
        ("left input only, gradient:", slope(lambda w: np.sum(w * x1), [1, 2])),
        ("right input only, gradient:", slope(lambda w: np.sum(w * x2), [1, 2])),
        ("both inputs, w.grad:", slope(lambda w: np.sum(w * x1) + np.sum(w * x2), [1, 2])),
    ]


def stop_one_branch() -> Pairs:
    """(3w)(5w) at w = 2; a detached branch stays at its value for w = 2."""
    return [
        ("both branches, w.grad:", slope(lambda w: (3 * w) * (5 * w), 2)),
        ("right branch detached, w.grad:", slope(lambda w: (3 * w) * (5 * 2), 2)),
        ("left branch detached, w.grad:", slope(lambda w: (3 * 2) * (5 * w), 2)),
    ]


def summands() -> Pairs:
    """d(loss)/dx through b = coef * x alone, through a alone, and through both."""
    ones = np.ones((1, 1, 40, 40))
    through_b = slope(lambda x: two_calls(coef() * ones, coef() * x), ones).mean()
    through_a = slope(lambda x: two_calls(coef() * x, coef() * ones), ones).mean()
    label = "module hook, mean of grad_input:"
    both = slope(lambda x: two_calls(coef() * x, coef() * x), ones).mean()
    return [(label, through_b), (label, through_a), ("tensor hook on x, mean of grad:", both)]


def tied_once() -> Pairs:
    """scores = W[0] @ W^T; the gradient of its first entry, row 0 times itself, by W."""
    w = np.array([[1.0, 2], [0, 1], [1, 1]])
    return [
        ("scores:", w[[0]] @ w.T),
        ("weight.grad:", slope(lambda w: w[0] @ w[0], w)),
    ]


def two_or_tied() -> Pairs:
    """|D E x - x|^2, three steps: E and D = E^T one parameter, or two with one memory.

    Two parameters move the memory by change(g_E) and by change(g_D), a tied one by
    change(g_E + g_D); where weights decay, each of these moves decays them.
    The changes are those of torch.optim, as functions of all gradients so far.
    """
    x, start = np.array([1, 2]), np.array([[1.0, 2], [3, 4]])

    def decayed(values, beta):
        return sum(beta**age * value for age, value in enumerate(reversed(values)))

    def plain(gradients):
        return 1e-4 * gradients[-1]

    def momentum(gradients):
        return 1e-4 * decayed(gradients, 0.9)

    def adam(gradients):
        m = 0.1 * decayed(gradients, 0.9) / (1 - 0.9 ** len(gradients))
        v = 0.001 * decayed([g**2 for g in gradients], 0.999) / (1 - 0.999 ** len(gradients))
        return 0.1 * m / (np.sqrt(v) + 1e-8)

    def loss(e, d):
        return np.sum((d.T @ (e @ x) - x) ** 2)

    def train(change, tied, decay):
        w, by_e, by_d = start, [], []
        for _ in range(3):
            by_e.append(slope(lambda e, w=w: loss(e, w), w))
            by_d.append(slope(lambda d, w=w: loss(w, d), w))
            both = [e + d for e, d in zip(by_e, by_d, strict=True)]
            for gradients in (both,) if tied else (by_e, by_d):
                w = w - change(gradients) - decay * w
        return w

    pairs: Pairs = []
    for name, change, decay in (
        ("SGD", plain, 0),
        ("SGD with momentum", momentum, 0),
        ("SGD with weight decay", plain, 1e-4),
        ("Adam", adam, 0),
    ):
        gap = np.abs(train(change, True, decay) - train(change, False, decay)).max()
        pairs += [(name, HEADING), (": largest difference after 3 steps:", gap)]
    return pairs


def two_parameters() -> Pairs:
    """sum(D (E x)) by E and by D, and sum(T^T (T x)) by T, for 2 x 2 ones and x = (1, 2)."""
    ones, x = np.ones((2, 2)), np.array([1, 2])
    return [
        ("encoder.grad:", slope(lambda e: np.sum(ones @ (e @ x)), ones)),
        ("decoder.grad:", slope(lambda d: np.sum(d @ (ones @ x)), ones)),
        ("one parameter, tied.grad:", slope(lambda t: np.sum(t.T @ (t @ x)), ones)),
    ]


def decay_and_twin() -> Pairs:
    """c + 2c from c = 2, one step with lr = 0.1 and weight decay 1; the twin has no gradient."""
    gradient = slope(lambda c: c + 2 * c, 2)
    return [
        ("coef.grad:", gradient),
        (" twin.grad:", None),
        ("after step, coef:", sgd(2, gradient, lr=0.1, weight_decay=1.0)),
        ("after step, twin:", 2.0),
    ]


def new_parameter() -> Pairs:
    """w x by w, and (3 raw) x by raw, for x = (5, 7): linear, so that any w will do."""
    x, anywhere = np.array([5, 7]), np.zeros((1, 2))
    return [
        ("wrapped, weight.grad:", slope(lambda w: np.sum(w @ x), anywhere)),
        ("wrapped, raw.grad:", None),
        ("another name, raw.grad:", slope(lambda raw: np.sum((3 * raw) @ x), anywhere)),
    ]


def one_after_another() -> Pairs:
    """w (w x) at w = 3, x = 2."""
    at_w, at_x = slope(lambda w: w * (w * 2), 3), slope(lambda x: 3 * (3 * x), 2)
    return [
        ("hook on x:", at_x),
        ("w.grad:", at_w),
        ("finite difference:", at_w),
        ("x.grad:", at_x),
        ("finite difference:", at_x),
    ]


def two_names() -> Pairs:
    """The value of the name that comes last."""
    return [("embedding.weight:", np.full((2, 2), [1, 7][-1]))]


def two_products() -> Pairs:
    """5 p with p = 3x, by p and by x, at x = 1."""
    at_p, at_x = slope(lambda p: 5 * p, 3), slope(lambda x: 5 * (3 * x), 1)
    return [
        ("  grad_input[0]:", at_p),
        ("  x.grad:", at_x),
        ("  grad_input[0]:", at_x),
        ("  x.grad:", at_x),
    ]
