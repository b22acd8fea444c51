"""The numbers of `snippets/basics/`, found without autograd."""

import numpy as np

from second_way.tools import HEADING, Pairs, mse, sgd, slope

EXCEPTIONS = {
    ("assigned_grad", "warnings: 0"): "a count of warnings",
    ("grad_of_g", "at index 0"): "part of a message",
    ("find_the_nan", "in its 0th output"): "PyTorch's message: a place in a list",
    ("mse_shapes", "torch.Size([3])"): "PyTorch's message: a shape",
    ("mse_shapes", "torch.Size([3, 1])"): "PyTorch's message: a shape",
    ("second_derivative", "element 0 of tensors"): "PyTorch's message: a place in a list",
    ("empty_batch", "element 0 of tensors"): "PyTorch's message: a place in a list",
    ("never_used", "at index 1"): "PyTorch's message: a place in a list",
    ("twice_the_same", "ways on: 1"): "a count of edges of the graph",
    ("twice_the_same", "ways on: 2"): "a count of edges of the graph",
    ("twice_the_same", "at their end: 1"): "a count of nodes",
    ("leaf_or_not", "warnings: 2"): "a count of warnings",
    ("nothing_to_do", "element 0 of tensors"): "PyTorch's message: a place in a list",
    ("wrong_shape", "output[0]"): "PyTorch's message: a place in a list",
    ("wrong_shape", "torch.Size([1])"): "PyTorch's message: a shape",
}


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


def review_problem() -> Pairs:
    """The score is 0.5 w0 + 0.5 w1 + 0.5 w2."""
    return [("weight.grad:", slope(lambda w: np.sum(0.5 * w), [1, 2, 3]))]


def review_solution() -> Pairs:
    """The score by the picture; then its first product alone, with another first pixel."""
    weight, image = np.array([1.0, 2, 3]), np.array([4, 0.5, 0.5])
    before = slope(lambda w: np.sum(0.5 * w), weight)
    return [
        ("image.grad:", slope(lambda x: np.sum(x * weight), [0.5] * 3)),
        ("first output only, image.grad:", slope(lambda x: x[0] * weight[0], image)),
        ("weight.grad:", before + slope(lambda w: image[0] * w[0], weight)),
    ]


def which_way() -> Pairs:
    """loss = (2w - 3)**2 at w = 1."""
    return [("loss:", (2 * 1 - 3) ** 2), ("w.grad:", slope(lambda w: (2 * w - 3) ** 2, 1))]


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
    """The sum of x^2 at x = (1, 2, 3), with weights of 1 and without."""
    return [
        ("weights 1, 1, 1, x.grad:", slope(lambda x: dot(x**2, [1, 1, 1]), [1, 2, 3])),
        ("sum first, x.grad:", slope(lambda x: np.sum(x**2), [1, 2, 3])),
    ]


def weighted_outputs() -> Pairs:
    """x^2 at x = (1, 2, 3), and the slope of its sum with the weights 1, 10, 100."""
    x = np.array([1, 2, 3])
    return [("y:", x**2), ("x.grad:", slope(lambda x: dot(x**2, [1, 10, 100]), x))]


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


def cancels_out() -> Pairs:
    """(z - (z + 3))^2 at z = 1; then with the target fixed at 1 + 3."""
    at_both = slope(lambda z: mse(z, z + 3), 1)
    return [
        ("loss:", mse(np.array(1), 1 + 3)),
        ("z on both sides, z.grad:", at_both),
        ("target detached, loss:", mse(np.array(1), 1 + 3)),
        ("target detached, z.grad:", slope(lambda z: mse(z, 1 + 3), 1)),
    ]


def data_and_weight() -> Pairs:
    """y = 10 * 3 * w at w = 2; nobody asks for the gradient of the data."""
    return [("data.grad:", None), ("w.grad:", slope(lambda w: 10 * 3 * w, 2))]


def empty_batch() -> Pairs:
    """Only 0 w has a way back to w."""
    return [
        ("start", 0),
        ("torch.tensor(0.0)", HEADING),
        ("w * 0", HEADING),
        (": w.grad:", slope(lambda w: w * 0, 2)),
    ]


def nameless_leaf() -> Pairs:
    """3 (0.1 n) at n = 5, one step with lr = 1; a is 0.1 n before and after."""
    gradient = slope(lambda n: 3 * (0.1 * n), 5)
    moved = sgd(5, gradient, lr=1)
    return [
        ("nameless.grad:", gradient),
        ("after step, nameless:", moved),
        ("after step, a:", 0.1 * 5),
        ("computed again, a:", 0.1 * moved),
    ]


def never_used() -> Pairs:
    """sum(x^2) at x = (1, 2), and a second argument that it does not use."""
    at_x = slope(lambda x: np.sum(x**2), [1, 2])
    at_unused = slope(lambda unused: np.sum(np.array([1, 2]) ** 2), [3, 4])
    return [
        ("allow_unused:", at_x),
        (",", None),
        ("materialize_grads:", at_x),
        ("", at_unused),
    ]


def numpy_in_forward() -> Pairs:
    """sum(v (2w + 3w)) at w = (1, 2), v = (3, 4); through numpy, w is a constant."""
    w, v = np.array([1, 2]), np.array([3, 4])
    at_v = slope(lambda v: np.sum(v * (2 * w + 3 * w)), v)
    at_w = slope(lambda w: np.sum(v * (2 * w + 3 * w)), w)
    return [
        ("numpy, v.grad:", at_v),
        ("numpy, w.grad:", None),
        ("stack, v.grad:", at_v),
        ("stack, w.grad:", at_w),
    ]


def several_at_once() -> Pairs:
    """1, 1 times 2x plus 10, 100 times 3x, added up."""
    seen = slope(lambda x: dot(2 * x, [1, 1]) + dot(3 * x, [10, 100]), [1, 2])
    return [("both at once, x.grad:", seen), ("one by one, x.grad:", seen)]


def twice_the_same() -> Pairs:
    """w^2 and w w at w = 3."""
    return [
        ("w**2", HEADING),
        ("  w.grad:", slope(lambda w: w**2, 3)),
        ("w * w", HEADING),
        ("  w.grad:", slope(lambda w: w * w, 3)),
    ]


def broadcast_sum() -> Pairs:
    """sum(v (c + b)) for x = 1, by b = (5, 7) and by c = 2."""
    v = np.array([[1.0, 10], [2, 20], [3, 30]])
    return [
        ("rows of v added up:", v.sum(axis=0)),
        ("all of v added up:", v.sum()),
        ("b.grad:", slope(lambda b: np.sum(v * (2 + b)), [5, 7])),
        ("c.grad:", slope(lambda c: np.sum(v * (c + np.array([5, 7]))), 2)),
    ]


def three_points(w, pairwise: bool):
    """The mean squared error of w x to x = (1, 2, 3), each to its own or each to all three."""
    x = np.array([1.0, 2, 3])
    return mse(w * x[:, None] if pairwise else w * x, x)


def mse_shapes() -> Pairs:
    """three_points at w = 1."""
    x = np.array([1.0, 2, 3])
    return [
        ("w * x - target:", x[:, None] - x),
        ("loss:", three_points(1, True)),
        ("w.grad:", slope(lambda w: three_points(w, True), 1)),
        ("same shapes, loss:", three_points(1, False)),
        ("same shapes, w.grad:", slope(lambda w: three_points(w, False), 1)),
    ]


def wrong_minimum() -> Pairs:
    """Where three_points is flat: sum_i x_i (3 w x_i - 6) = 0, and w = 1."""
    x = np.array([1.0, 2, 3])
    return [
        ("shapes (3, 1) and (3,), w:", x.sum() ** 2 / (3 * np.sum(x**2))),
        ("shapes (3, 1) and (3, 1), w:", 1.0),
    ]


def squares(w):
    """The sum of w^2."""
    return np.sum(w**2)


def edit_leaf() -> Pairs:
    """The sum of squares at (5, 1, 1)."""
    return [
        ("w += 1:", HEADING),
        ("w[0] = 5:", HEADING),
        ("after no_grad, w:", np.array([5, 1, 1])),
        ("w.grad:", slope(squares, [5, 1, 1])),
    ]


def of_clone(w):
    """The sum of squares of w, the first one replaced by 5."""
    return squares(np.array([5, *w[1:]]))


def edit_a_clone() -> Pairs:
    """of_clone at (1, 2, 3)."""
    w = np.array([1, 2, 3])
    return [
        ("edited:", np.array([5, 2, 3])),
        ("loss:", of_clone(w)),
        ("w:", w),
        ("w.grad:", slope(of_clone, w)),
    ]


def edit_then_step() -> Pairs:
    """One step with lr = 0.1 from (5, 1, 1), or from (1, 1, 1) through the clone."""
    edited, ones = np.array([5, 1, 1]), np.ones(3)
    return [
        ("no_grad, w:", sgd(edited, slope(squares, edited), lr=0.1)),
        ("clone, w:", sgd(ones, slope(of_clone, ones), lr=0.1)),
    ]


def data_is_silent() -> Pairs:
    """w^2 at 3, and its slope at 5."""
    return [("y:", 3**2), ("after .data, w.grad:", slope(lambda w: w**2, 5))]


def second_derivative() -> Pairs:
    """w^3 at w = 5: its slope, and the slope of its slope."""

    def first(w):
        return slope(lambda w: w**3, w, h=1e-3)

    return [
        ("first derivative:", slope(lambda w: w**3, 5)),
        ("second derivative:", slope(first, 5, h=1e-3)),
        ("without create_graph:", slope(lambda w: w**3, 5)),
    ]


def hessian() -> Pairs:
    """w0^2 w1 + w1^3 at (1, 2): the slopes of its gradient (2 w0 w1, w0^2 + 3 w1^2)."""

    def first(w):
        return np.array([2 * w[0] * w[1], w[0] ** 2 + 3 * w[1] ** 2])

    rows = slope(first, [1, 2])
    return [
        ("gradient:", slope(lambda w: w[0] ** 2 * w[1] + w[1] ** 3, [1, 2])),
        ("row", 0),
        (":", rows[0]),
        ("row", 1),
        (":", rows[1]),
        ("torch.func.hessian:", rows),
        ("gradient of g.sum():", slope(lambda w: first(w).sum(), [1, 2])),
    ]


def grad_of_g() -> Pairs:
    """x0^3 + x1^3 at (1, 2): g is 3 x^2, whose sum has these slopes; g was not used for y."""
    return [
        ("grad(y, g), allow_unused:", None),
        ("grad(g.sum(), x):", slope(lambda x: np.sum(3 * x**2), [1, 2])),
    ]


def gradient_penalty() -> Pairs:
    """w x + (g - 1)^2 at w = 3, x = 5, where g = w; or g = 3 whatever w is."""
    pairs: Pairs = []
    for name, g in (("create_graph=False", lambda w: 3), ("create_graph=True", lambda w: w)):
        seen = slope(lambda w, g=g: w * 5 + (g(w) - 1) ** 2, 3)
        pairs += [(name, HEADING), ("  penalty:", (g(3) - 1) ** 2), (" w.grad:", seen)]
    return pairs


def one_step_inside() -> Pairs:
    """w - 0.1 g at w = 1, where g = 3 w^2; or g = 3 whatever w is."""
    pairs: Pairs = []
    for name, g in (("create_graph=False", lambda w: 3), ("create_graph=True", lambda w: 3 * w**2)):
        seen = slope(lambda w, g=g: w - 0.1 * g(w), 1)
        pairs += [(name, HEADING), ("  moved:", 1 - 0.1 * g(1)), (" w.grad:", seen)]
    return pairs


def root_times(sent, x):
    """The chain rule at a root: what is sent back, times 1 / (2 sqrt(x))."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return sent * (1 / (2 * np.sqrt(x)))


def where_nan() -> Pairs:
    """(0, sqrt(4)): 0 and 1 are sent back to sqrt at (0, 4), or at the cleaned (1, 4)."""
    sent = np.array([0.0, 1.0])
    return [
        ("y:", np.array([0, np.sqrt(4)])),
        ("x.grad:", root_times(sent, np.array([0.0, 4.0]))),
        ("safe, y:", np.array([0, np.sqrt(4)])),
        ("safe, x.grad:", root_times(sent, np.array([1.0, 4.0]))),
    ]


def find_the_break() -> Pairs:
    """The shapes of v and w: both are reached, then v alone."""
    v, w = (2,), (3,)
    return [
        *(("v with shape", v), ("w with shape", w)),
        ("v with shape", v),
    ]


def find_the_nan() -> Pairs:
    """The sum of (0, r1), by r = (r0, r1); the first of these, sent back to sqrt at 0."""
    return [
        ("gradient at root:", slope(lambda r: np.sum(np.where([False, True], r, 0)), [0, 2])),
        (" returned", root_times(0, 0)),
    ]


def norm_at_zero() -> Pairs:
    """At (0, 0): 0 by definition; 2x times the infinite slope of the root; differences."""
    zero = np.zeros(2)
    return [
        ("x.norm(), x.grad:", zero),
        ("(x**2).sum().sqrt()", HEADING),
        (", x.grad:", root_times(2 * zero, np.sum(zero**2))),
        ("((x**2).sum() + 1e-12).sqrt()", HEADING),
        (", x.grad:", slope(lambda x: np.sqrt(np.sum(x**2) + 1e-12), zero)),
    ]


def where_or_mask() -> Pairs:
    """sqrt(-1) chosen or multiplied away; 0 and 1 are sent back to the root at (-1, 4)."""
    x, sent = np.array([-1.0, 4.0]), np.array([0.0, 1.0])
    seen = root_times(sent, x)
    with np.errstate(invalid="ignore"):
        root = np.sqrt(x)
    return [
        ("where, y:", np.where(x > 0, root, 0)),
        ("where, x.grad:", seen),
        ("mask, y:", (x > 0) * root),
        ("mask, x.grad:", seen),
    ]


def assigned_grad() -> Pairs:
    """The 7 that was put there; the slopes of 3 x by x, and of y by y."""
    return [
        ("assigned, y.grad:", 7),
        ("x.grad:", slope(lambda x: 3 * x, 2)),
        ("retain_grad(), y.grad:", slope(lambda y: y, 6)),
    ]
