"""The numbers of `snippets/compile/`, found without autograd."""

import numpy as np

from second_way.tools import Pairs, slope


def later_hook() -> Pairs:
    """Around the compiled forward or on the weight: once; on the inner module: not at all."""
    return [
        ("forward hook on net:", 1),
        ("forward pre-hook on inner:", 0),
        ("forward hook on inner:", 0),
        ("full backward hook on inner:", 0),
        ("hook on the weight:", 1),
        ("post-accumulate-grad hook:", 1),
    ]


def what_helps() -> Pairs:
    """In time, seen; too late, not seen; looked for again, seen."""
    return [("fired", times) for times in (1, 0, 0, 1, 1)]


def ask_for_guards() -> Pairs:
    """Around the compiled code, seen; backward, not seen; asked for, seen."""
    return [("fired", times) for times in (1, 0, 1)]


def another_shape() -> Pairs:
    """The code of one row is the old one; that of three rows has the hook."""
    return [
        ("1 row: fired", 0),
        ("3 rows: fired", 1),
        ("1 row again: fired", 0),
    ]


def nothing_compiled() -> Pairs:
    """One graph for each, none where the code of PyTorch is passed over."""
    return [("graphs:", graphs) for graphs in (1, 1, 1, 0)]


def grad_mode() -> Pairs:
    """One for each of two modes, which stay; one for inference, one with a frozen weight."""
    return [
        ("training:", 1),
        ("no_grad():", 2),
        ("both once more:", 2),
        ("inference_mode():", 3),
        ("weight frozen:", 4),
    ]


EXCEPTIONS = {
    ("full_graph", "the shape of y: (2,)"): "a shape",
    ("full_graph", "where: line 6"): "a line of the script",
    ("hook_inside", "hook outside, backward from loss + 5 * y:"): "a formula",
}


def hook_breaks() -> Pairs:
    """Two layers and a ReLU; detach is one more; print cuts; a layer with the hook is left out."""
    layers = 2 + 1
    pairs: Pairs = []
    for graphs, operations in ((1, layers), (1, layers + 1), (2, layers), (1, layers - 1)):
        pairs += [("graphs:", graphs), ("operations in them:", operations)]
    return pairs


def grad_inside() -> Pairs:
    """(w.x)^2 by differences: its slope is the force, the slope of the force's sum is w's."""

    def force(w: np.ndarray) -> np.ndarray:
        return slope(lambda x: (w @ x) ** 2, [1.0, 1.0])

    w = np.array([2.0, 2.0])
    of_weight = slope(lambda w: force(w).sum(), w, h=1e-3)
    pairs: Pairs = []
    for passes in (True, False, None, True, True, True):
        if passes is not None:
            pairs.append(("force:", force(w)[None]))
        if passes:
            pairs.append(("weight.grad:", of_weight[None]))
    return pairs


def full_graph() -> Pairs:
    """One break, so two graphs."""
    return [("graphs:", 2), ("breaks:", 1)]


def compare() -> Pairs:
    """outer(inner(x)) is 5 * 3 * 2; a hook that doubles is known to the eager side only."""
    inner, outer, x = 3, 5, 2
    pairs: Pairs = []
    for factor in (1, 2):
        pairs += [("inner.weight: eager", factor * outer * x), ("compiled", outer * x)]
        pairs += [("outer.weight: eager", factor * inner * x), ("compiled", inner * x)]
    return pairs


def autocast_around() -> Pairs:
    """1000 w^2 at 100: twice 1000 times 100, which float16 hasn't and bfloat16 rounds to 8 bits."""
    right = slope(lambda w: 1000 * w**2, 100)
    pairs: Pairs = []
    for half in (np.inf, 2 * round(1000 * 100 / 2**9) * 2**9):
        pairs += [("not compiled: w.grad", right), ("eager: w.grad", right)]
        pairs += [("aot_eager: w.grad", half), ("setting off: w.grad", right)]
        pairs += [("autocast inside: w.grad", right)]
    return pairs


def penalty() -> Pairs:
    """(w x)^2 and the square of its slope 2 w^2 x, of which half is held constant."""
    output = slope(lambda w: w**2, 2)
    whole = slope(lambda w: (2 * w**2) ** 2, 2)
    half = slope(lambda w: (2 * w * 2) ** 2, 2)
    return [("w.grad", output + half), ("w.grad", output + whole), ("w.grad", output + whole)]


def own_function() -> Pairs:
    """2 round(x), and the slope of a square of steps."""
    through, steps = 2 * round(2.6), slope(lambda x: np.round(x) ** 2, 2.6)
    pairs: Pairs = []
    for inner in (through, steps, steps):
        pairs += [("backward()", through), ("torch.func.grad", inner)]
    return pairs


def hook_inside() -> Pairs:
    """y = 3 w and loss = 2 y: with aot_eager, the 2 comes to y within the compiled node."""
    pairs: Pairs = []
    for from_loss, alone in ((2, 2), (0, None)):
        pairs += [("hook inside: w.grad", 3 * 2 * 10), ("the hook sees", alone)]
        pairs += [("w.grad", 3 * 2), ("the hook sees", from_loss + 5), ("w.grad", 3 * (2 + 5))]
    return pairs


def refused() -> Pairs:
    """The slope of w^3 squared is 9 w^4, its derivative 36 w^3."""
    return [("w.grad", 36 * 2**3)] * 3


def refused_hook() -> Pairs:
    """The hook makes ten times 3 w^2."""
    return [("w.grad", 10 * 3 * 2**2)] * 2


def review_problem() -> Pairs:
    """loss = 2 w x; nothing comes to y from outside."""
    return [("gradient at y:", None), ("gradient of w:", 2 * 2)]


def review_solution() -> Pairs:
    """y = w x and loss = 2 y; the hook that appends cuts the graph."""
    w, x = 3, 2
    return [
        ("output", w * x),
        ("gradient at y:", 2),
        ("gradient of w:", 2 * x),
        ("graphs:", 2),
    ]
