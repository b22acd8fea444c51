"""The numbers of `snippets/module_hooks/`, found without autograd."""

import numpy as np

from second_way.tools import HEADING, Pairs, slope

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


def always_call() -> Pairs:
    """The root of 9, seen by both hooks; no output for -9."""
    root = np.sqrt(9)
    return [
        ("x:", 9),
        ("usual hook, output:", root),
        ("always_call hook, output:", root),
        ("x:", -9),
        ("always_call hook, output:", None),
    ]


def args_and_kwargs() -> Pairs:
    """(a + 10) + b; the tensor in the message is a + 10."""
    return [("both:", (2 + 10) + 3), ("but got", 2 + 10)]


def backward_inside() -> Pairs:
    """(w x)^2 at w = 2, x = 1."""
    return [
        ("grad mode inside:", False),
        ("weight.grad:", slope(lambda w: (w * 1) ** 2, 2)),
    ]


def callers_tensor() -> Pairs:
    """10 x, where x stays 1, or where x itself is what was multiplied."""
    once = 10 * 1.0
    return [
        ("in_place: first", once),
        (", second", 10 * once),
        (", x:", 10 * once),
        ("returned: first", once),
        (", second", once),
        (", x:", 1.0),
    ]


def calls_itself() -> Pairs:
    """w x at w = 2, x = 1."""
    return [("by forward:", 2 * 1)]


def captured_gradient() -> Pairs:
    """The slope of the network behind the layer, and at relu its product with the value."""
    value = three_four_one(np.ones(3))
    at_relu = slope(lambda relu: LAST @ relu + 1, value["relu"])
    return [
        ("fc1, output:", value["fc1"]),
        ("fc1, gradient:", slope(lambda fc1: LAST @ np.maximum(fc1, 0) + 1, value["fc1"])),
        ("relu, output:", value["relu"]),
        ("relu, gradient:", at_relu),
        ("relu, output * gradient:", value["relu"] * at_relu),
    ]


def change_inputs() -> Pairs:
    """a = 2 becomes 12; 12 + 3 + 4; then 100 more."""
    a, b, c = 2 + 10, 3, 4
    return [
        ("forward hook, args:", np.array([a, b])),
        ("forward hook, output:", a + b + c),
        ("returned:", a + b + c + 100),
    ]


def copy_and_state() -> Pairs:
    """The hook is gone from net, was copied into twin, and never came into fresh."""
    return [
        ("after handle.remove(), net fires:", 0),
        ("after handle.remove(), twin fires:", 1),
        ("after handle.remove(), fresh fires:", 0),
    ]


def features() -> Pairs:
    """The 3-4-1 network at ones."""
    return [(f"{name}:", value) for name, value in three_four_one(np.ones(3)).items()]


def graph_inside() -> Pairs:
    """(w x)^2 at w = 2, x = 1, by x, whether the graph is kept or not."""
    gradient = slope(lambda x: (2 * x) ** 2, 1)
    return [("  gradient:", gradient), ("  gradient:", gradient)]


def hooks_in_the_graph() -> Pairs:
    """y = 100 (a + 10) b at a = 2, b = 3."""
    return [
        ("y:", 100 * (2 + 10) * 3),
        ("a.grad:", slope(lambda a: 100 * (a + 10) * 3, 2)),
        ("b.grad:", slope(lambda b: 100 * (2 + 10) * b, 3)),
    ]


def in_place_output() -> Pairs:
    """2 / (1 + exp(-x)) and 2 x at x = 0."""
    sigmoid = slope(lambda x: 2 / (1 + np.exp(-x)), 0)
    twice = slope(lambda x: 2 * x, 0)
    return [
        ("Sigmoid(), returned, x.grad:", sigmoid),
        ("Identity(), returned, x.grad:", twice),
        ("Identity(), in_place, x.grad:", twice),
    ]


def keywords() -> Pairs:
    """c = 4 becomes 1004; 2 + 3 + 1004."""
    c = 4 + 1000
    return [
        ("blind hook, args:", np.array([2, 3])),
        ("seeing hook, kwargs: {'c':", 4),
        ("forward hook, kwargs: {'c':", c),
        ("returned:", 2 + 3 + c),
    ]


def kept_graph() -> Pairs:
    """One hidden tensor for each of three outputs that still have their graph, or none."""
    return [
        ("outputs kept:", 3),
        ("outputs detached, then kept:", 0),
        ("outputs kept, under no_grad:", 0),
    ]


def lost_argument() -> Pairs:
    """(a + 10) + b + c, where nothing is lost."""
    return [("all_of_them:", (2 + 10) + 3 + 4)]


def once() -> Pairs:
    """The numbers of the calls."""
    return [("call", 0), ("call", 1)]


def one_after_another() -> Pairs:
    """10 x 1, then + 1; 1 + 1, then 10 x; 1 + 1 + 1."""
    return [
        ("plus_1 with prepend=False:", 10 * 1 + 1),
        ("plus_1 with prepend=True:", 10 * (1 + 1)),
        ("plus_1 twice:", 1 + 1 + 1),
    ]


def overwritten() -> Pairs:
    """(2, -3) x at x = 1, and what ReLU makes of it in the same memory."""
    output = np.array([2.0, -3.0]) * 1
    return [
        ("inplace=False, detach():", output),
        ("inplace=True, detach():", np.maximum(output, 0)),
        ("inplace=True, detach().clone():", output),
    ]


def pile_up() -> Pairs:
    """Removed each time: one hook; never removed: one more in each call."""
    pairs: Pairs = []
    for removed in (True, False):
        pairs.append(("handle.remove():", removed))
        for call in range(3):
            hooks = 1 if removed else call + 1
            pairs += [("call", call), ("hooks that fired:", hooks)]
    return pairs


def raise_inside() -> Pairs:
    """w2 w1 x at w1 = 2, w2 = 3, x = 1: only w2 has its gradient."""
    return [
        ("fc2.weight.grad:", slope(lambda w2: w2 * 2 * 1, 3)),
        ("fc1.weight.grad:", None),
    ]


def scale_gradient() -> Pairs:
    """The sum of W x over 4 rows of ones and 3 outputs: by x, halved, and by W, untouched."""
    x, w = np.ones((4, 2)), np.ones((3, 2))
    return [
        ("x.grad:", slope(lambda x: (x @ w.T).sum(), x) / 2),
        ("weight.grad:", slope(lambda w: (x @ w.T).sum(), w)),
    ]


def take_off() -> Pairs:
    """One hook while it is registered, none before and after."""
    return [
        ("before:", 0),
        ("registered:", 1),
        ("removed:", 0),
        ("inside with:", 1),
        ("after with:", 0),
    ]


def tuple_or_not() -> Pairs:
    """The number of positional arguments."""
    return [("args is a tuple of", 1), ("args is a tuple of", 2), ("args is a tuple of", 1)]


def under_vmap() -> Pairs:
    """(w x)^2 at w = (1, 2) for each x; inside, x has the two elements of one sample."""
    xs = np.array([[1.0, 0], [0, 1], [1, 1]])
    each = np.stack([slope(lambda w, x=x: (w @ x) ** 2, [1, 2]) for x in xs])
    return [
        ("gradient of each sample:", each),
        ("hook fired:", 1),
        (" time, shape of x inside:", xs.shape[1]),
    ]


def what_it_returns() -> Pairs:
    """None leaves (2, 3); the others pass what they made of a + 10 and b."""
    return [
        ("the hook returns None:", HEADING),
        ("forward got:", np.array([2, 3])),
        ("forward got:", np.array([2 + 10, 3])),
        ("forward got:", 2 + 10),
        ("forward got:", np.array([2 + 10, 3])),
    ]


def wrong_return() -> Pairs:
    """The sum of W x for W of ones, 4 outputs, by x, doubled."""
    gradient = slope(lambda x: (np.ones((4, 2)) @ x).sum(), [1, 1])
    return [("double, x.grad:", 2 * gradient)]


EXCEPTIONS = {
    ("wrong_return", "batch of 1:"): "the number of rows in x",
    ("wrong_return", "batch of 3:"): "the number of rows in x",
    ("wrong_return", "got 3, but expected 1"): "counts in the message",
    ("wrong_return", "got 2, but expected 1"): "counts in the message",
    ("other_backward_hooks", "got 2, but expected 1"): "counts in the message",
    ("other_backward_hooks", "got 1, but expected 3"): "counts in the message",
    ("backward_inside", "element 0 of tensors"): "part of the message",
    ("lost_argument", "missing 1 required"): "a count in the message",
    ("last_name", "['2']"): "the name of a layer",
    ("last_name", "['0', '1', '2']"): "the names of the layers",
}
