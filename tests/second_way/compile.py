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
    return [("fired", times) for times in (1, 0, 0, 1, 1, 1, 0, 1)]


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


EXCEPTIONS = {
    ("full_graph", "the shape of y: (2,)"): "a shape",
    ("full_graph", "where: line 6"): "a line of the script",
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
