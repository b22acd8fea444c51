"""The numbers of `snippets/tensor_hooks/`, found without autograd."""

import numpy as np

from second_way.tools import HEADING, Pairs, sgd, slope

EXCEPTIONS = {
    ("one_memory_cell", "(0,)"): "a stride: the steps in memory from one element to the next",
}

X, Y, W = np.arange(4.0), np.arange(4.0, 8.0), np.arange(1.0, 5.0)


def dot(z, w=W):
    """o = w @ z."""
    return np.dot(w, z)


AT_Z = slope(dot, X + Y)
"""do/dz, where z = x + y = 4, 6, 8, 10."""


def product(a=2.0, b=3.0, d=4.0):
    """e = a b + d."""
    return a * b + d


AT_A, AT_B = slope(lambda a: product(a=a), 2), slope(lambda b: product(b=b), 3)
AT_D = slope(lambda d: product(d=d), 4)


def all_or_any() -> Pairs:
    """a b + 7 c at 2, 3, 5: the three gradients, and that of c, which arrives first."""

    def y(v):
        return v[0] * v[1] + 7 * v[2]

    gradients = slope(y, [2, 3, 5])
    return [("any:", gradients[2]), ("all:", gradients)]


def before_and_after_grad() -> Pairs:
    """3w, twice: before and after the gradient is added."""
    once = slope(lambda w: 3 * w, 2)
    return [
        ("first backward", HEADING),
        ("tensor hook:", once),
        ("w.grad:", None),
        ("param.grad:", once),
        ("tensor hook:", once),
        ("w.grad:", once),
        ("param.grad:", 2 * once),
    ]


def before_relu() -> Pairs:
    """u = 3x, z = max(u, 0), sum(5z) at x = (1, -2): by z, then by u."""
    u = np.array([3, -6])
    return [
        ("registered after relu:", slope(lambda z: np.sum(5 * z), np.maximum(u, 0))),
        ("registered before relu:", slope(lambda u: np.sum(5 * np.maximum(u, 0)), u)),
    ]


def double_upstream() -> Pairs:
    """2 do/dz for x and y, which lie upstream of z; do/dw as it is."""
    return [
        ("x.grad:", 2 * AT_Z),
        ("y.grad:", 2 * AT_Z),
        ("w.grad:", slope(lambda w: dot(X + Y, w), W)),
    ]


def edited_after_hook() -> Pairs:
    """u = 3x, z = 10u, sum(z): by z, and by u, the value before mul_."""
    x = np.array([1, 2])
    return [
        ("registered after mul_:", slope(np.sum, 30 * x)),
        ("registered before mul_:", slope(lambda u: np.sum(10 * u), 3 * x)),
        ("z.grad:", slope(np.sum, 30 * x)),
        ("x.grad:", slope(lambda x: np.sum(30 * x), x)),
    ]


def edited_leaf() -> Pairs:
    """sum(w^2) at the values after mul_: 10 and 20."""
    gradient = slope(lambda w: np.sum(w**2), [10, 20])
    return [("hook on w:", gradient), ("w.grad:", gradient)]


def edited_view() -> Pairs:
    """u = (3x)[:2], sum(10u): doubled by the hook on u, or not, where it is lost."""
    x = np.array([1, 2, 3])
    once = slope(lambda x: np.sum(10 * (3 * x)[:2]), x)
    return [
        ("not in place", HEADING),
        ("hook on view:", slope(lambda u: np.sum(10 * u), 3 * x[:2])),
        ("x.grad:", 2 * once),
        ("edited in place", HEADING),
        ("x.grad:", once),
    ]


def gone_after_with() -> Pairs:
    """z = 3w, z^2 at w = 1: by z; by w, twice."""
    return [
        ("inside:", slope(lambda z: z**2, 3)),
        ("x.grad:", 2 * slope(lambda x: (3 * x) ** 2, 1)),
    ]


def half_gradient() -> Pairs:
    """s = 2x at x = 3, s^2: half of the gradient; half the state is a constant."""
    fixed = 0.5 * 2 * 3
    return [
        ("with_hook, state:", 2 * 3),
        ("with_hook, x.grad:", 0.5 * slope(lambda x: (2 * x) ** 2, 3)),
        ("without_hook, state:", 2 * 3),
        ("without_hook, x.grad:", slope(lambda x: (0.5 * 2 * x + fixed) ** 2, 3)),
    ]


def hook_or_retain_first() -> Pairs:
    """2 do/dz, in either order."""
    return [
        ("register_hook first, z.grad:", 2 * AT_Z),
        ("retain_grad first, z.grad:", 2 * AT_Z),
    ]


def in_place_or_return() -> Pairs:
    """100 times what arrives at d: for all who share it, or for d alone."""
    return [
        ("in_place, a.grad:", 100 * AT_A),
        ("in_place, b.grad:", 100 * AT_B),
        ("in_place, d.grad:", 100 * AT_D),
        ("returned, a.grad:", AT_A),
        ("returned, b.grad:", AT_B),
        ("returned, d.grad:", 100 * AT_D),
    ]


def in_the_dict() -> Pairs:
    """sum(z) by z, shown twice."""
    gradient = slope(np.sum, [3, 6])
    return [("show:", gradient), ("show:", gradient), ("z.grad:", gradient)]


def late_first() -> Pairs:
    """do/do, then do/dz; later do/dz alone."""
    at_o = slope(lambda o: o, 1)
    return [
        ("both hooks", HEADING),
        ("o:", at_o),
        ("z:", AT_Z),
        ("hook on z alone", HEADING),
        ("z:", AT_Z),
    ]


def leaf_and_node() -> Pairs:
    """3w: w.grad before and after it is written."""
    once = slope(lambda w: 3 * w, 2)
    return [
        ("tensor hook, w.grad:", None),
        ("node pre-hook, w.grad:", None),
        ("post-accumulate hook, w.grad:", once),
        ("node hook, w.grad:", once),
    ]


def leaves_and_grad() -> Pairs:
    """a b at 2, 3: the gradient of a, which arrives first, and both."""
    gradients = slope(np.prod, [2, 3])
    return [("any:", gradients[0]), ("gradients:", gradients)]


def mask_from_the_start() -> Pairs:
    """4 where the gradient was always 0; weight decay takes lr * 0.5 of w away in each step."""
    decayed = 4 * (1 - 0.1 * 0.5) ** 2
    values = (("momentum", 4), ("weight decay", decayed), ("Adam", 4), ("AdamW", decayed))
    return [
        pair
        for name, value in values
        for pair in ((name, HEADING), (", w[1] after two steps:", value))
    ]


def mask_is_not_enough() -> Pairs:
    """The last gradient is masked, whoever takes the step."""
    return [(f"{name}, last gradient:", 0.0) for name in ("SGD", "Adam", "ASGD", "Muon")]


def mask_one_weight() -> Pairs:
    """sum(k^2), the last element masked, lr 0.25, momentum 0.5: in the first step k - lr * 2k."""
    kernel, mask = np.array([[1.0, 2], [3, 4]]), np.array([[1.0, 1], [1, 0]])
    pairs: Pairs = []
    for step in range(2):
        gradient = slope(lambda k: np.sum(k**2), kernel) * mask
        pairs += [("step", step), (", kernel.grad:", gradient)]
        pairs += [("step", step), (", last element:", 4.0)]
        kernel = sgd(kernel, gradient, lr=0.25)
    return pairs


def mask_too_late() -> Pairs:
    """One step with gradient 3, then one with 0, lr 0.1, w = 4 at first.

    Momentum: lr * 0.9 * 3. Weight decay: lr * 0.5 * w, w after the first step. Adam (Kingma and
    Ba, 2015): lr * m / (1 - 0.9^2) / (sqrt(v / (1 - 0.999^2)) + 1e-8), m = 0.9 * 0.1 * 3 and
    v = 0.999 * 0.001 * 9.
    """
    m, v = 0.9 * 0.1 * 3, 0.999 * 0.001 * 9
    adam = 0.1 * m / (1 - 0.9**2) / (np.sqrt(v / (1 - 0.999**2)) + 1e-8)
    after_one = sgd(4, 3, lr=0.1, weight_decay=0.5)
    moved = (
        ("SGD", 0),
        ("momentum", -0.1 * 0.9 * 3),
        ("weight decay", -0.1 * 0.5 * after_one),
        ("Adam", -adam),
    )
    return [
        pair for name, by in moved for pair in ((name, HEADING), (", masked w[1] moves by", by))
    ]


def mean_of_two() -> Pairs:
    """y = 2x, z = mean(y): by y, then by x."""
    return [
        ("hook on y:", slope(np.mean, [6, 8])),
        ("x.grad:", slope(lambda x: np.mean(2 * x), [3, 4])),
    ]


def neither() -> Pairs:
    """o = w @ (x + y): by the leaves x, y and w; z and o keep none."""
    return [
        ("x: requires_grad=True grad=", slope(lambda x: dot(x + Y), X)),
        ("y: requires_grad=True grad=", slope(lambda y: dot(X + y), Y)),
        ("w: requires_grad=True grad=", slope(lambda w: dot(X + Y, w), W)),
        ("z: requires_grad=True grad=", None),
        ("o: requires_grad=True grad=", None),
    ]


def norm_of_all() -> Pairs:
    """3a + 4b: the length of (3, 4)."""
    gradients = slope(lambda v: dot(v, [3, 4]), [1, 2])
    return [
        ("norm of both:", np.sqrt(np.sum(gradients**2))),
        ("a.grad:", gradients[0]),
        ("b.grad:", gradients[1]),
    ]


def not_written_yet() -> Pairs:
    """a b at 2, 3: both gradients are there, that of b isn't in b.grad yet."""
    gradients = slope(np.prod, [2, 3])
    return [
        ("given:", gradients),
        ("a.grad:", gradients[0]),
        ("b.grad:", None),
        ("after backward, a.grad:", gradients[0]),
        ("after backward, b.grad:", gradients[1]),
    ]


def one_memory_cell() -> Pairs:
    """sum(x): one number in memory for all three, so that one 0 is three; in a copy it is one."""
    gradient = slope(np.sum, [1, 2, 3])
    return [
        ("zero_first", HEADING),
        ("x.grad:", 0 * gradient),
        ("zero_first_of_a_copy", HEADING),
        ("x.grad:", gradient * [0, 1, 1]),
    ]


def put_it_back() -> Pairs:
    """The value it started with, written back after each step."""
    return [("w[1] after two steps:", 4.0), ("w[0] has moved:", True)]


def refused_post_hooks() -> Pairs:
    """3w, where the hook is not refused."""
    once = slope(lambda w: 3 * w, 2)
    return [
        ("returns None, w.grad:", once),
        ("returns the parameter itself, w.grad:", once),
    ]


def retain_and_hook() -> Pairs:
    """do/dz and do/do."""
    return [
        ("hook on z:", AT_Z),
        ("z.grad:", AT_Z),
        ("o.grad:", slope(lambda o: o, dot(X + Y))),
    ]


def reversed_gradient() -> Pairs:
    """f = 3w, v f at v = 4: by v; by w with the other sign."""
    return [
        ("v.grad:", slope(lambda v: v * 3, 4)),
        ("w.grad:", -slope(lambda w: 4 * 3 * w, 1)),
    ]


def review_problem() -> Pairs:
    """h^2 at h = 3 w = 6, a tenth of its slope from there on."""
    at_h = slope(lambda h: h**2, 6)
    return [
        ("logged:", at_h),
        ("h.grad:", at_h / 10),
        ("w.grad:", at_h / 10 * slope(lambda w: 3 * w, 2)),
    ]


def review_solution() -> Pairs:
    """As before, logged behind the other hook; then 3 w alone."""
    at_h, by_w = slope(lambda h: h**2, 6), slope(lambda w: 3 * w, 2)
    return [("logged:", at_h / 10), ("w.grad:", at_h / 10 * by_w), ("logged:", by_w)]


def same_name() -> Pairs:
    """u = 3x, sum(10 u): by u, then by x."""
    return [
        ("registered on the old z:", slope(lambda u: np.sum(10 * u), [3, 6])),
        ("x.grad:", slope(lambda x: np.sum(30 * x), [1, 2])),
    ]


def shared_once() -> Pairs:
    """3w + w^2 at w = 2, both uses in one gradient, one step with lr = 0.25."""
    gradient = slope(lambda w: 3 * w + w**2, 2)
    return [("fires, param.grad:", gradient), ("w:", sgd(2, gradient, lr=0.25))]


def step_in_backward() -> Pairs:
    """a b at 2, 3, lr = 0.1, both gradients at the old values; alive are those not yet cleared."""
    a, b = sgd(np.array([2.0, 3.0]), slope(np.prod, [2, 3]), lr=0.1)
    pairs: Pairs = []
    for alive in ((2, 1), (1, 1)):
        pairs += [("gradients alive:", count) for count in alive]
        pairs += [("a:", a), ("b:", b)]
    return pairs


def step_per_micro_batch() -> Pairs:
    """w^2 / 2 twice from w = 1, lr = 0.25: one step with the sum, or two with one gradient each."""

    def gradient(w):
        return slope(lambda w: w**2 / 2, w)

    first = gradient(1)
    between = sgd(1, first, lr=0.25)
    second = gradient(between)
    return [
        ("step, w.grad:", 2 * first),
        ("w:", sgd(1, 2 * first, lr=0.25)),
        ("step, w.grad:", first),
        ("step, w.grad:", second),
        ("w:", sgd(between, second, lr=0.25)),
    ]


def twice_retained() -> Pairs:
    """sum(z), twice: each time for the hook, the sum in z.grad."""
    once = slope(np.sum, [3, 6])
    return [("hook on z:", once), ("hook on z:", once), ("z.grad:", 2 * once)]


def two_hooks() -> Pairs:
    """do/dz with 100 added, shown after it or before."""
    return [
        ("show:", AT_Z + 100),
        ("x.grad:", AT_Z + 100),
        ("show:", AT_Z),
        ("x.grad:", AT_Z + 100),
    ]


def unused_is_none() -> Pairs:
    """a b at 2, 3: by both; asked for a only, by a."""
    gradients = slope(np.prod, [2, 3])
    return [
        ("c not in the graph", HEADING),
        ("all:", gradients),
        ("),", None),
        ("inputs=[a]", HEADING),
        ("all:", gradients[0]),
        ("),", None),
        (",", None),
    ]


def what_is_kept() -> Pairs:
    """1000 gradients, or one number: sum(z^2), z = 4, has the gradient 8 a thousand times."""
    eights = slope(lambda z: z**2, 4) * np.ones(1000)
    return [
        ("retain_grad keeps:", eights.size),
        ("hook keeps:", 1),
        ("norm:", round(float(np.sqrt(np.sum(eights**2))), 2)),
        ("list still holds:", eights.size),
    ]


def who_is_hit() -> Pairs:
    """In place on d: all; on c: all but d, whose gradient has been added before."""
    pairs: Pairs = []
    for hooked, at_d in (("d", 100 * AT_D), ("c", AT_D)):
        pairs += [
            (f"hook on {hooked}, a.grad:", 100 * AT_A),
            (f"hook on {hooked}, b.grad:", 100 * AT_B),
            (f"hook on {hooked}, d.grad:", at_d),
            (f"hook on {hooked}, start:", 100 * slope(lambda e: e, 10)),
        ]
    return pairs


def whose_gradient() -> Pairs:
    """5a + 7b at 2, 3. After the loop, `tensor` is b for every hook that reads it."""
    gradients = dict(zip("ab", slope(lambda v: dot(v, [5, 7]), [2, 3]), strict=True))
    values = {"a": 2, "b": 3}
    pairs: Pairs = []
    for name in "ba":
        pairs += [("reads loop, b:", values["b"]), (", gradient", gradients[name])]
        pairs += [(f"is told, {name}:", values[name]), (", gradient", gradients[name])]
    return pairs


def wrong_return() -> Pairs:
    """sum(x): as it is, and doubled."""
    once = slope(np.sum, [1, 2])
    return [("None, x.grad:", once), ("same shape, x.grad:", 2 * once)]
