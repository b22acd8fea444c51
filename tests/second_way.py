"""The numbers that the snippets print, found a second time without autograd.

One function per snippet, with the snippet's name: it returns, in the order of the output, pairs of
a label (the text right before a number) and what must stand after it: a number, an array, a truth
value or None. Gradients are central differences of the formula on the page, in float64; where the
number is no gradient, its formula is written out. A number that the script rounds to fewer than
four decimals is rounded here too. `SECOND_WAY` is the table of them all; `EXCEPTIONS` names the
numbers that are counts, names or places.
"""

from collections.abc import Callable, Sequence
from functools import cache

import numpy as np
import torch

Value = float | np.ndarray | bool | None
Pairs = list[tuple[str, Value]]
HEADING = np.array([])
"""The value of a label that stands alone: no number follows it."""


def slope(f: Callable, x: float | Sequence | np.ndarray, h: float = 1e-6) -> np.ndarray:
    """df/dx by central differences: (f(x + h) - f(x - h)) / 2h for each element of x.

    Its shape is that of f(x), then that of x: a number's gradient, a vector's Jacobian.
    """
    x = np.array(x, dtype=np.float64)
    columns = []
    for place in np.ndindex(x.shape):
        step = np.zeros_like(x)
        step[place] = h
        columns.append((np.asarray(f(x + step)) - np.asarray(f(x - step))) / (2 * h))
    return np.stack(columns, axis=-1).reshape(columns[0].shape + x.shape)


def mse(y: np.ndarray, target: Sequence | float) -> np.ndarray:
    """nn.MSELoss: the mean of (y - target)^2."""
    return np.mean((y - np.asarray(target)) ** 2)


def sgd(w: Value, gradient: Value, lr: float, weight_decay: float = 0.0) -> Value:
    """torch.optim.SGD without momentum: w - lr * (gradient + weight_decay * w)."""
    return w - lr * (gradient + weight_decay * w)


@cache
def coef() -> np.ndarray:
    """The coefficients that `torch.manual_seed(0); torch.randn(1, 1, 40, 40)` draws, in float64."""
    drawn = torch.randn(1, 1, 40, 40, generator=torch.Generator().manual_seed(0))
    return drawn.double().numpy()


# basics


def line(w):
    """y = 2w - 1."""
    return 2 * w - 1


def dot(x, w=(1, 2, 3, 4)):
    """o = w @ x."""
    return np.dot(w, x)


def ask_for_one() -> Pairs:
    """z = x + 2, o = w @ z: do/dz, where z = 3, 4, 5, 6. Asked for z only, so that x has none."""
    return [("gradient of o at z:", slope(dot, [3, 4, 5, 6])), ("x.grad:", None)]


def before_and_after() -> Pairs:
    """y = 2w - 1 at w = 1."""
    return [("before backward, w.grad:", None), ("after backward, w.grad:", slope(line, 1))]


def gradient_of_input() -> Pairs:
    """w @ x with w = (3, 5), by x = (1, 1)."""
    seen = slope(lambda x: np.sum(x @ [3, 5]), np.ones((1, 2)))
    return [
        ("plain, image.grad:", None),
        ("after requires_grad_(), image.grad:", seen),
        ("inside no_grad, with enable_grad, caller.grad:", seen),
    ]


def keep_intermediate() -> Pairs:
    """z = x + y, o = w @ z: do/dz at z = 4, 6, 8, 10, and do/do."""
    z = np.array([4, 6, 8, 10])
    return [("z.grad:", slope(dot, z)), ("o.grad:", slope(lambda o: o, dot(z)))]


def leaf_or_not() -> Pairs:
    """o = w @ (x + y) with respect to x, y and w; the inner z and o keep none."""
    x, y, w = np.array([1, 2, 3, 4]), np.array([3, 4, 5, 6]), np.array([1, 2, 3, 4])
    return [
        ("x: requires_grad=True is_leaf=True grad=", slope(lambda x: dot(x + y, w), x)),
        ("y: requires_grad=True is_leaf=True grad=", slope(lambda y: dot(x + y, w), y)),
        ("w: requires_grad=True is_leaf=True grad=", slope(lambda w: dot(x + y, w), w)),
        ("c: requires_grad=False is_leaf=True grad=", None),
        ("z: requires_grad=True is_leaf=False grad=", None),
        ("o: requires_grad=True is_leaf=False grad=", None),
    ]


def lost_leaf() -> Pairs:
    """b = 0.5, y = 3b, one step with lr = 1."""
    gradient = slope(lambda b: 3 * b, 0.5)
    return [("b.grad:", gradient), ("after step, b:", sgd(0.5, gradient, lr=1))]


def moved_or_not() -> Pairs:
    """A leaf is what no operation made; reshape is one."""
    return [("w.reshape(2, 1).is_leaf:", False)]


def seed_of_one() -> Pairs:
    """y = 2w - 1: seed * dy/dw, for the seeds 1 (also the unspoken one) and 10."""
    return [
        ("backward(), w.grad:", slope(line, 1)),
        ("backward(torch.tensor(1.)), w.grad:", slope(line, 1)),
        ("backward(1), TypeError:", HEADING),
        ("backward(torch.tensor(10.)), w.grad:", 10 * slope(line, 1)),
    ]


def vector_jacobian() -> Pairs:
    """f(x) = (x0 x1, x0 + x1, x1^2) at x = (1, 2): J by differences; v @ J as d(v @ f)/dx."""

    def f(x):
        return np.array([x[0] * x[1], x[0] + x[1], x[1] ** 2])

    seen = slope(lambda x: dot(f(x), [1, 10, 100]), [1, 2])
    return [
        ("J (gradients of the three outputs):", slope(f, [1, 2])),
        ("v @ J:", seen),
        ("x.grad:", seen),
    ]


def vector_output() -> Pairs:
    """The weighted sum of x^2, weights as named, at x = (1, 2, 3)."""

    def weighted(*weights):
        return slope(lambda x: dot(x**2, weights), [1, 2, 3])

    return [
        ("weights 1, 1, 1, x.grad:", weighted(1, 1, 1)),
        ("weights 1, 10, 100, x.grad:", weighted(1, 10, 100)),
        ("sum first, x.grad:", slope(lambda x: np.sum(x**2), [1, 2, 3])),
    ]


def walk_the_graph() -> Pairs:
    """d(2w)/dw is the factor that the product saved."""
    return [("saved factor:", slope(lambda w: 2 * w, 1))]


def watch_the_nodes() -> Pairs:
    """s = 2w, y = s - 1 at w = 1: dy/dy reaches the subtraction, dy/ds the product, dy/dw w."""
    at_y, at_s, at_w = slope(lambda y: y, 1), slope(lambda s: s - 1, 2), slope(line, 1)
    return [
        ("SubBackward0: received", at_y),
        (", passed on", at_s),
        ("MulBackward0: received", at_s),
        (", passed on", at_w),
        ("w.grad:", at_w),
    ]


def wrong_shape() -> Pairs:
    """y = 2w - 1 at w = 1; only the call with the right shape counts."""
    return [("w.grad:", slope(line, 1))]


# accumulate


def loss2(w):
    """y1 = 2w + 1, y2 = 2 y1, its mean squared error to 0."""
    return (2 * (2 * w + 1)) ** 2


def loss3(w):
    """y1 = 2w + 1, y3 = -y1, its mean squared error to 0."""
    return (-(2 * w + 1)) ** 2


X, TARGET = np.array([1.0, 2, 3, 4]), np.array([3.0, 5, 7, 9])


def batch(part: slice = slice(None)) -> np.ndarray:
    """The gradient at w = 1 of the mean squared error of w x, over a part of the batch."""
    return slope(lambda w: mse(w * X[part], TARGET[part]), 1)


def batch_norm() -> Pairs:
    """nn.BatchNorm1d: gamma (x - mean) / sqrt(var + 1e-5), var over n; d(loss)/d(gamma) at 1."""
    x, target = np.array([1.0, 2, 3, 8]), np.array([0.0, 0, 1, 1])

    def loss(gamma, part):
        return mse(gamma * (x[part] - x[part].mean()) / np.sqrt(x[part].var() + 1e-5), target[part])

    def halves(gamma):
        return loss(gamma, slice(0, 2)) / 2 + loss(gamma, slice(2, 4)) / 2

    def normalized(part):
        return (x[part] - x[part].mean()) / np.sqrt(x[part].var() + 1e-5)

    return [
        *(
            pair
            for start, stop in ((0, 4), (0, 2), (2, 4))
            for pair in (
                ("x[", start),
                (":", stop),
                ("] normalized:", normalized(slice(start, stop))),
            )
        ),
        ("one batch of 4, weight.grad:", slope(lambda gamma: loss(gamma, slice(0, 4)), [1])),
        ("two of 2, divided by 2, weight.grad:", slope(halves, [1])),
    ]


def detached_loss() -> Pairs:
    """y2^2 + (y2 - 1)^2, y2 = 2(2w + 1), the second y2 fixed at its value 6 for w = 1."""
    return [("w.grad:", slope(lambda w: loss2(w) + (6 - 1) ** 2, 1))]


def last_digit() -> Pairs:
    """y = 0.1 w, losses 0.1 y and 0.7 y: (0.1 + 0.7) 0.1 or 0.1 0.1 + 0.7 0.1, each rounded."""
    pairs: Pairs = []
    for dtype in (np.float32, np.float64):
        a, b = dtype(0.1), dtype(0.7)
        pairs += [
            ("  sum first, w.grad:", (a + b) * a),
            ("  one by one, w.grad:", a * a + b * a),
        ]
    return pairs


def half_way() -> Pairs:
    """loss2 at w = 1; then (v y1)^2 at v = 1, of which only v gets its share."""
    at_v = slope(lambda v: (v * 3) ** 2, 1)
    return [
        ("after loss2, w.grad:", slope(loss2, 1)),
        (" v.grad:", None),
        ("at the end, w.grad:", slope(loss2, 1)),
        (" v.grad:", at_v),
    ]


def ignored_labels() -> Pairs:
    """-log softmax(x w) at w = 0 for the labels 0, 1, 1: the mean over those that a part counts."""

    def loss(w, xs, labels):
        scores = np.outer(xs, w)
        chosen = scores[np.arange(len(xs)), labels]
        return np.mean(np.log(np.exp(scores).sum(axis=1)) - chosen)

    whole, first, second = (
        slope(lambda w, xs=xs, labels=labels: loss(w, xs, labels), [0, 0])
        for xs, labels in (([1, 2, 3], [0, 1, 1]), ([1, 2], [0, 1]), ([3], [1]))
    )
    return [
        ("one batch of 4, w.grad:", whole),
        ("weighted by samples, w.grad:", first / 2 + second / 2),
        ("weighted by labels that count, w.grad:", first * 2 / 3 + second / 3),
    ]


def micro_batches() -> Pairs:
    """The whole batch, and the sum over its halves, plain and divided by 2."""
    halves = batch(slice(0, 2)) + batch(slice(2, 4))
    return [
        ("one batch of 4, w.grad:", batch()),
        ("two of 2, not divided, w.grad:", halves),
        ("two of 2, divided by 2, w.grad:", halves / 2),
    ]


def new_forward() -> Pairs:
    """(2w + 1)^2 at w = 1, once more each time."""
    once = slope(lambda w: (2 * w + 1) ** 2, 1)
    pairs: Pairs = []
    for step in range(3):
        pairs += [("step", step), (", w.grad:", (step + 1) * once)]
    return pairs


def none_or_zero() -> Pairs:
    """3w; a step without a gradient moves nothing, with gradient 0 the weight decay moves w."""
    return [
        ("after backward, w.grad:", slope(lambda w: 3 * w, 1)),
        ("zero_grad(), w.grad:", None),
        ("  after step, w:", 1.0),
        ("zero_grad(set_to_none=False), w.grad:", 0.0),
        ("  after step, w:", sgd(1.0, 0.0, lr=0.1, weight_decay=1.0)),
    ]


def nothing_saved() -> Pairs:
    """sum(x + 1), counted twice, and sum(x^2), counted once, at x = (1, 2)."""
    return [
        ("sum, twice, x.grad:", 2 * slope(lambda x: np.sum(x + 1), [1, 2])),
        ("square, once, x.grad:", slope(lambda x: np.sum(x**2), [1, 2])),
    ]


def one_at_a_time() -> Pairs:
    """The two losses alone, and their sum, at w = 1."""
    return [
        ("gradient of loss2 alone:", slope(loss2, 1)),
        ("gradient of loss3 alone:", slope(loss3, 1)),
        ("sum of the gradients:", slope(lambda w: loss2(w) + loss3(w), 1)),
    ]


def running_loss() -> Pairs:
    """A step adds three nodes (mul, pow, add) to the one of w; the sum is 0^2 + 1^2 + 2^2."""
    pairs: Pairs = []
    for step in range(3):
        pairs += [("step", step), (": graph nodes behind kept:", 3 * (step + 1) + 1)]
    total = sum((1.0 * step) ** 2 for step in range(3))
    return [*pairs, ("kept:", total), ("logged:", total)]


def retain_is_no_cure() -> Pairs:
    """hidden = w * hidden, loss = hidden^2, from w = 2 and hidden = 1 with lr = 0.1."""

    def step(number, gradient):
        return [("  step", number), (", w.grad:", gradient)]

    def square(hidden):
        return lambda w: (w * hidden) ** 2

    first = slope(square(1), 2)
    moved = float(sgd(2, first, lr=0.1))
    # The retained graph has the parameter twice: as it was in round one, and as it is now.
    through = slope(square(2), moved) + slope(lambda old: (moved * old) ** 2, 2)
    alone = slope(square(2), moved)
    after = float(sgd(moved, alone, lr=0.1))
    last = slope(square(moved * 2), after)
    return [
        *step(0, first),
        ("  step", 1),
        *step(0, first),
        *step(1, through),
        ("  step", 2),
        *step(0, first),
        *step(1, alone),
        *step(2, last),
    ]


def second_time() -> Pairs:
    """loss2 alone: the second backward fails before it reaches w."""
    return [
        ("after loss2, w.grad:", slope(loss2, 1)),
        ("at the end, w.grad:", slope(loss2, 1)),
    ]


def sum_of_losses() -> Pairs:
    """loss2 + loss3 at w = 1, one step with lr = 1."""
    gradient = slope(lambda w: loss2(w) + loss3(w), 1)
    return [("w.grad:", gradient), ("after step, w:", sgd(1, gradient, lr=1))]


def two_losses() -> Pairs:
    """loss2, then loss3 added, at w = 1, one step with lr = 1."""
    gradient = slope(loss2, 1) + slope(loss3, 1)
    return [
        ("after loss2, w.grad:", slope(loss2, 1)),
        ("after loss3, w.grad:", gradient),
        ("after step, w:", sgd(1, gradient, lr=1)),
    ]


def two_losses_one_branch() -> Pairs:
    """y2 = 2(2w + 1) with targets 0 and 1: y2^2 + (y2 - 1)^2 at w = 1, one step with lr = 1."""
    gradient = slope(lambda w: loss2(w) + (2 * (2 * w + 1) - 1) ** 2, 1)
    return [("w.grad:", gradient), ("after step, w:", sgd(1, gradient, lr=1))]


def unequal_parts() -> Pairs:
    """Parts of 3 and 1: halved each, and weighted by 3/4 and 1/4."""
    three, one = batch(slice(0, 3)), batch(slice(3, 4))
    return [
        ("one batch of 4, w.grad:", batch()),
        ("3 and 1, each divided by 2, w.grad:", three / 2 + one / 2),
        ("3 and 1, weighted by size, w.grad:", three * 3 / 4 + one / 4),
    ]


def unused_branch() -> Pairs:
    """The squares of 2 y1, 3 y1, ...: of the first alone, or of all branches."""
    pairs: Pairs = []
    for used in ("one", "all"):
        for branches in (1, 2, 5):
            count = 1 if used == "one" else branches
            gradient = slope(
                lambda w, count=count: sum((k * (2 * w + 1)) ** 2 for k in range(2, 2 + count)), 1
            )
            pairs += [("", branches), (f" branches, {used} used, w.grad:", gradient)]
    return pairs


def who_keeps_the_graph() -> Pairs:
    """Alive are the tensors of the graphs that nobody has freed: this one, all so far, none."""
    counts = ("retain_graph=True, loss overwritten:", [1, 1, 1])
    kept = ("retain_graph=True, loss kept in a list:", [1, 2, 3])
    freed = ("no retain_graph, loss kept in a list:", [0, 0, 0])
    pairs: Pairs = []
    for heading, alive in (counts, kept, freed):
        pairs += [(heading, HEADING), *(("  saved tensors alive:", n) for n in alive)]
    return pairs


def without_zero_grad() -> Pairs:
    """w^2 from w = 1, three steps with lr = 0.25, by the gradient or by the sum of all so far."""
    pairs: Pairs = []
    for clear in (True, False):
        w, gradient = 1.0, 0.0
        for step in range(3):
            gradient = slope(lambda w: w**2, w) + (0 if clear else gradient)
            w = sgd(w, gradient, lr=0.25)
            pairs += [("  step", step), (": w.grad=", gradient), ("w=", w)]
    return pairs


def wrong_divisor() -> Pairs:
    """3w four times: each over 4; over 1, 2, 3, 4; and the last of them over 4."""
    once = slope(lambda w: 3 * w, 1)
    return [
        ("divided by 4, w.grad:", 4 * once / 4),
        ("divided by 1, 2, 3, 4, w.grad:", once * (1 + 1 / 2 + 1 / 3 + 1 / 4)),
        ("cleared before each, w.grad:", once / 4),
    ]


def zero_still_moves() -> Pairs:
    """A step with gradient 3, then one with 0, lr 0.1: nothing; lr * 0.9 * 3; Adam's formula.

    Adam (Kingma and Ba, 2015): lr * m / (1 - 0.9^2) / (sqrt(v / (1 - 0.999^2)) + 1e-8) with
    m = 0.9 * 0.1 * 3 and v = 0.999 * 0.001 * 9 in the second step.
    """
    m, v = 0.9 * 0.1 * 3, 0.999 * 0.001 * 9
    adam = 0.1 * m / (1 - 0.9**2) / (np.sqrt(v / (1 - 0.999**2)) + 1e-8)
    moved = (("SGD", 0.0), ("SGD with momentum", -0.1 * 0.9 * 3), ("Adam", -adam))
    pairs: Pairs = []
    for name, by in moved:
        pairs += [(f"{name}: a gradient of", 0), (" moves w by", by)]
    return pairs


# sharing


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
    ]


def input_sees_sum() -> Pairs:
    """d(loss)/dx where a = b = coef * x, at x = 1; and its formula."""
    seen = slope(lambda x: two_calls(coef() * x, coef() * x), np.ones((1, 1, 40, 40)))
    return [
        ("hook on x, mean of grad:", seen.mean()),
        ("3 * mean(coef) / 1600:", 3 * coef().mean() / 1600),
    ]


def max_and_min() -> Pairs:
    """One step with lr = 1: how far mean, max and min move, for input ones and for 0 ... 1599."""
    pairs: Pairs = []
    for heading, x in (
        ("input all ones:", np.ones((1, 1, 40, 40))),
        ("input 0, 1, ..., 1599:", np.arange(1600.0).reshape(1, 1, 40, 40)),
    ):
        old, gradient = coef(), coef_gradient(x)
        new = sgd(old, gradient, lr=1)
        pairs += [
            (heading, HEADING),
            ("  mean moved by", old.mean() - new.mean()),
            ("  mean of coef.grad", gradient.mean()),
            ("  max moved by", old.max() - new.max()),
            ("  min moved by", old.min() - new.min()),
            ("  max was element", old.argmax()),
            (", now", new.argmax()),
            ("  min was element", old.argmin()),
            (", now", new.argmin()),
            ("  each element: new == old - lr * grad:", True),
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


_TOPICS = {
    "basics": (
        ask_for_one,
        before_and_after,
        gradient_of_input,
        keep_intermediate,
        leaf_or_not,
        lost_leaf,
        moved_or_not,
        seed_of_one,
        vector_jacobian,
        vector_output,
        walk_the_graph,
        watch_the_nodes,
        wrong_shape,
    ),
    "accumulate": (
        batch_norm,
        detached_loss,
        last_digit,
        micro_batches,
        new_forward,
        none_or_zero,
        nothing_saved,
        one_at_a_time,
        running_loss,
        half_way,
        ignored_labels,
        retain_is_no_cure,
        second_time,
        sum_of_losses,
        two_losses,
        two_losses_one_branch,
        unequal_parts,
        unused_branch,
        who_keeps_the_graph,
        zero_still_moves,
        without_zero_grad,
        wrong_divisor,
    ),
    "sharing": (
        called_in_reverse,
        called_twice,
        copy_or_assign,
        embedding_bag,
        input_sees_sum,
        max_and_min,
        old_hook,
        one_step,
        one_step_or_two,
        small_steps,
        small_twins,
        stop_one_branch,
        summands,
        tied_once,
        two_or_tied,
        two_parameters,
    ),
}

SECOND_WAY: dict[str, Callable[[], Pairs]] = {
    f"{topic}/{way.__name__}": way for topic, ways in _TOPICS.items() for way in ways
}
"""The snippets that print numbers, and how to find them again."""

EXCEPTIONS: dict[tuple[str, str], str] = {
    ("basics/leaf_or_not", "warnings: 2"): "a count of warnings",
    ("basics/nothing_to_do", "element 0 of tensors"): "PyTorch's message: a place in a list",
    ("basics/wrong_shape", "output[0]"): "PyTorch's message: a place in a list",
    ("basics/wrong_shape", "torch.Size([1])"): "PyTorch's message: a shape",
    ("sharing/old_hook", "grad_input holds: 2"): "a count of what the hook is handed",
    ("sharing/old_hook", "grad_input holds: 1"): "a count of what the hook is handed",
    ("sharing/tied_once", "parameters: 1"): "a count of parameters",
    ("sharing/tied_once", "'0.weight', '1.weight'"): "names in a state_dict",
}
"""A text in the output of a snippet, and why the numbers in it are confirmed by nobody."""
