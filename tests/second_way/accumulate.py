"""The numbers of `snippets/accumulate/`, found without autograd."""

import numpy as np

from second_way.tools import HEADING, Pairs, mse, sgd, slope


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


def class_weights() -> Pairs:
    """-c log softmax(x w) at w = 0, over the sum of c: 5 for the label 0, 1 for the label 1."""
    x, labels, c = np.array([1.0, 2, 3, 4]), np.array([0, 1, 1, 1]), np.array([5.0, 1, 1, 1])

    def loss(w, part):
        scores = np.outer(x[part], w)
        chosen = scores[np.arange(len(scores)), labels[part]]
        log_sum = np.log(np.exp(scores).sum(axis=1))
        return np.sum(c[part] * (log_sum - chosen)) / np.sum(c[part])

    whole, first, second = (
        slope(lambda w, part=part: loss(w, part), [0, 0])
        for part in (slice(0, 4), slice(0, 2), slice(2, 4))
    )
    return [
        ("one batch of 4, w.grad:", whole),
        ("shares by labels, w.grad:", first / 2 + second / 2),
        ("shares by weights, w.grad:", first * 6 / 8 + second * 2 / 8),
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


def review_losses(w, x):
    """(w x - 2)^2 + (w x)^2, of one sample or as the mean over several."""
    return np.mean((w * x - 2) ** 2 + (w * x) ** 2)


def review_problem() -> Pairs:
    """Both losses of x = 1, then of x = 3, added up; the step takes the sum."""
    first, second = (slope(lambda w, x=x: review_losses(w, x), 1) for x in (1, 3))
    return [
        ("after x =", 1),
        ("w.grad:", first),
        ("after x =", 3),
        ("w.grad:", first + second),
        ("after step, w:", 1 - 0.1 * (first + second)),
        ("total:", review_losses(1, 1) + review_losses(1, 3)),
    ]


def review_solution() -> Pairs:
    """The mean over both samples at once, and as halves of each."""
    whole = slope(lambda w: review_losses(w, np.array([1.0, 3])), 1)
    return [
        ("one batch of 2, w.grad:", whole),
        ("after x =", 1),
        ("w.grad:", slope(lambda w: review_losses(w, 1) / 2, 1)),
        ("after x =", 3),
        ("w.grad:", whole),
        ("after step, w:", 1 - 0.1 * whole),
        ("total:", review_losses(1, 1) + review_losses(1, 3)),
    ]


def retain_fused() -> Pairs:
    """w x at w = 3, x = 1; after a step with lr = 1 the graph has the new w where it read 3."""
    first = slope(lambda x: 3 * x, 1)
    moved = sgd(3, slope(lambda w: w * 1, 3), lr=1)
    return [
        ("first pass, x.grad:", first),
        ("first pass, x.grad:", first),
        ("after step, x.grad:", slope(lambda x: moved * x, 1)),
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


def two_graphs_at_once() -> Pairs:
    """Alive are the tensor of this graph, and that of the one before where it was not freed."""
    kept = ("retain_graph=True:", [1, 2, 2])
    deleted = ("retain_graph=True, loss deleted:", [1, 1, 1])
    freed = ("no retain_graph:", [1, 1, 1])
    pairs: Pairs = []
    for heading, alive in (kept, deleted, freed):
        pairs += [(heading, HEADING), *(("  saved tensors alive:", n) for n in alive)]
    return pairs


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


def left_over() -> Pairs:
    """10^i w for i = 0 ... 4, from w = 0 with lr = 1: a step on 0 and 1, and one on 2 and 3."""
    each = [slope(lambda w, i=i: 10**i * w, 0) for i in range(5)]
    first, second = each[0] + each[1], each[2] + each[3]
    return [
        ("step after batch", 1),
        (", w.grad:", first),
        ("step after batch", 3),
        (", w.grad:", second),
        ("at the end, w:", sgd(sgd(0, first, lr=1), second, lr=1)),
        ("never used, w.grad:", each[4]),
    ]


def losses_to_plot() -> Pairs:
    """(w i)^2 at w = 1."""
    losses = [(1 * i) ** 2 for i in range(3)]
    return [
        ("detached to plot:", losses[2]),
        ("afterward, losses[2].grad_fn:", HEADING),
        ("numbers:", np.array(losses)),
    ]


def not_divided() -> Pairs:
    """One step with lr = 0.01 on the whole batch, or on the sum over its halves.

    Adam (Kingma and Ba, 2015): its first step is lr g / (sqrt(g^2) + 1e-8).
    """
    whole, halves = batch(), batch(slice(0, 2)) + batch(slice(2, 4))

    def adam(gradient):
        return -0.01 * gradient / (np.sqrt(gradient**2) + 1e-8)

    pairs: Pairs = []
    for name, move in (("SGD", lambda gradient: sgd(0, gradient, lr=0.01)), ("Adam", adam)):
        pairs += [
            (name, HEADING),
            ("  one batch of 4 moves w by", move(whole)),
            ("  two of 2, not divided, move w by", move(halves)),
        ]
    return pairs


def stand_still() -> Pairs:
    """loss2, and (y3 + 15)^2 with y3 = -(2w + 1), at w = 1, one step with lr = 1."""

    def loss(w):
        return loss2(w) + (-(2 * w + 1) + 15) ** 2

    gradient = slope(loss, 1)
    return [
        ("loss2 + loss3:", loss(1)),
        ("w.grad:", gradient),
        ("after step, w:", sgd(1, gradient, lr=1)),
    ]


def three_orders() -> Pairs:
    """w^2 from w = 1, three steps with lr = 0.25; the last order gives the optimizer nothing."""
    w = 1.0
    for _ in range(3):
        w = sgd(w, slope(lambda w: w**2, w), lr=0.25)
    return [
        ("clear back step, w:", w),
        ("back step clear, w:", w),
        ("back clear step, w:", 1.0),
    ]


def who_saves() -> Pairs:
    """No number: the names of the steps hold some."""
    return [("x + 1", HEADING), ("2 * x", HEADING)]


def before_the_step() -> Pairs:
    """The slope of w^2 / 2 at 3 and 4."""
    return [
        ("before the step:", slope(lambda w: 0.5 * np.sum(w**2), [3, 4])),
        ("after train_step:", None),
    ]


def divide_once() -> Pairs:
    """The slopes of the two halves, added, then halved."""
    both = batch(slice(0, 2)) + batch(slice(2, 4))
    return [("before dividing, w.grad:", both), (".grad divided once, w.grad:", both / 2)]


def share_nothing() -> Pairs:
    """64 rows, at w = 0; a graph saves x and tanh, 64 x 64 numbers of 4 bytes each."""
    bytes_of_one = 2 * 64 * 64 * 4
    w_grad = slope(lambda w: sum(64 * np.tanh(x * w) for x in (1, 2, 3)), 0)
    return [
        ("the sum saved at most:", 3 * bytes_of_one),
        ("w.grad:", w_grad),
        ("one by one saved at most:", bytes_of_one),
        ("w.grad:", w_grad),
    ]
