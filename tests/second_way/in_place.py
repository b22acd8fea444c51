"""The numbers of `snippets/in_place/`, found without autograd."""

import numpy as np

from second_way.tools import HEADING, Pairs, slope

EXCEPTIONS = {
    ("ask_the_node", "w**2"): "what was computed",
    ("ask_the_node", "w * 3"): "what was computed",
    ("ask_the_node", "_saved_alpha 1"): "the factor of an addition, an internal of PyTorch",
    ("edit_the_mask", "[torch.FloatTensor [3]] is at version 1"): "part of a message",
    ("edit_the_result", "output 0 of Sqrt"): "the number of an output, part of a message",
    ("masked", "[torch.FloatTensor [3]], which is output 0 of Softmax, is at version 1"): (
        "part of a message"
    ),
    ("name_the_line", "line 18, in <module>"): "a line of the script",
    ("name_the_line", "line 8, in forward"): "a line of the script",
    ("one_memory", "wide += 1:"): "the edit",
    ("one_memory", "x[1:] += x[:-1]:"): "the edit",
    ("read_message", "[torch.FloatTensor [3]]"): "the shape of h, part of a message",
    ("read_message", "output 0 of Sub"): "the number of an output, part of a message",
    ("relu_in_place", "[5, 2]], which is output 0 of Sigmoid, is at version 1"): (
        "part of a message"
    ),
    ("relu_in_place", "[5, 2]], which is output 0 of Relu, is at version 1"): "part of a message",
    ("review_problem", "[torch.FloatTensor [3]], which is output 0 of Relu"): "part of a message",
    ("slices_in_a_loop", "output 0 of AsStrided"): "the number of an output, part of a message",
    ("step_between", "output 0 of AsStrided"): "the number of an output, part of a message",
    ("views_of_many", "Output 0 of Split"): "the number of an output, part of a message",
    ("views_of_many", "Output 0 of Unbind"): "the number of an output, part of a message",
    ("what_is_saved", "input += 1   result += 1"): "the edits",
}


def gated(w: np.ndarray) -> float:
    """(sigmoid(2w) + 1) tanh(2w), summed."""
    return np.sum((1 / (1 + np.exp(-2 * w)) + 1) * np.tanh(2 * w))


def allow_edits() -> Pairs:
    gradient = slope(gated, [0.5, 1.0])
    return [("edits allowed, w.grad:", gradient), ("out of place,  w.grad:", gradient)]


def ask_the_node() -> Pairs:
    """At w = 4 and v = 3: sqrt(w), the exponent and w, both factors, the factor 3."""
    return [
        ("_saved_result", np.sqrt(4.0)),
        ("_saved_exponent", 2),
        ("_saved_self", 4),
        ("_saved_other", 3),
        ("_saved_self", 4),
        ("_saved_other", 3),
    ]


def count_not_compare() -> Pairs:
    """One version for each edit of h; of h[:2]^2, with h = 2w, the gradient."""

    def loss(w):
        return np.sum((2 * w)[:2] ** 2)

    return [
        ("put_back version", len(["+= 1", "-= 1"])),
        ("another_element version", len(["h[2] = 5"])),
        ("through_detach version", len(["fill_"])),
        ("edit_a_clone version", len([])),
        ("w.grad:", slope(loss, [1.0, 2.0, 3.0])),
    ]


def edit_the_input() -> Pairs:
    """sqrt(w) + (w + 5) at w = 4."""
    w = 4.0
    return [
        ("root:", np.sqrt(w)),
        ("x:", w + 5),
        ("w.grad:", slope(lambda w: np.sqrt(w) + w + 5, w)),
    ]


def edit_the_result() -> Pairs:
    """The derivative of sqrt(w) + 1 at 4; wrong, 1 / (2 * 3), where the result is edited."""
    root = np.sqrt(4.0) + 1
    return [
        (": root", root),
        ("w.grad", 1 / (2 * root)),
        (": root", root),
        ("w.grad", slope(lambda w: np.sqrt(w) + 1, 4.0)),
    ]


def powers(w: float) -> np.ndarray:
    """1, w, w^2, w^3."""
    return w ** np.arange(4.0)


def fine_in_a_loop() -> Pairs:
    def added(w):
        return 1 + w * np.arange(4.0)

    def times_a_number(w):
        return np.array([1, 2 + w, 4 + 3 * w, 8 + 7 * w])

    pairs = []
    for name, f in (
        ("nothing_read:", powers),
        ("added:", added),
        ("times_a_number:", times_a_number),
    ):
        pairs += [(name, f(2.0)), ("w.grad", slope(lambda w, f=f: f(w).sum(), 2.0))]
    return [*pairs, ("times_w:", powers(2.0))]


def three_more_ways() -> Pairs:
    ways = ("read_a_clone:", "keep_the_last:", "new_tensor_each_time:")
    gradient = slope(lambda w: powers(w).sum(), 2.0)
    return [pair for way in ways for pair in ((way, powers(2.0)), ("w.grad", gradient))]


def list_and_stack() -> Pairs:
    return [("h:", powers(2.0)), ("w.grad:", slope(lambda w: powers(w).sum(), 2.0))]


def masked() -> Pairs:
    """3 (p0 + p1) of a softmax of three scores."""

    def loss(scores):
        p = np.exp(scores) / np.exp(scores).sum()
        return 3 * (p[0] + p[1])

    gradient = slope(loss, [0.0, 0.0, 0.0])
    return [("masked_fill: scores.grad", gradient), ("where: scores.grad", gradient)]


def one_memory() -> Pairs:
    x = np.array([1.0, 2, 3, 4])
    x[1:] = x[1:] + x[:-1].copy()
    row = np.ones(1)
    wide = np.broadcast_to(row, 3)
    before, strides = wide.copy(), wide.strides[0]
    row[0] = 7
    return [
        ("wide:", before),
        ("strides: (", strides),
        ("after wide[0] = 7, wide:", wide),
        ("row:", row),
        ("with clone(), x:", x),
    ]


def out_of_place() -> Pairs:
    """(2w + 1)^2 + (2w + 1 - 1), summed; a new tensor was never edited."""
    w = np.array([0.0, 1, 2])
    return [
        ("h:", 2 * w + 1 - 1),
        ("version of the new h:", 0),
        ("w.grad:", slope(lambda w: np.sum((2 * w + 1) ** 2 + 2 * w), w)),
    ]


def read_message() -> Pairs:
    """One version for each edit of h: += 1, then -= 1; the first one is saved."""
    w = np.array([0.0, 1, 2])
    return [
        ("h:", 2 * w + 1),
        ("version", 1),
        ("h:", 2 * w),
        ("version", 2),
        ("is at version", 2),
        ("expected version", 1),
    ]


def review_problem() -> Pairs:
    """(relu(w^t) + 1) w - 1; one edit of what relu returned, after it was saved."""
    return [("out:", last_out(2.0)), ("is at version", 1), ("expected version", 0)]


def last_out(w: float) -> np.ndarray:
    return (np.maximum(powers(w)[:3], 0) + 1) * w - 1


def review_solution() -> Pairs:
    return [("out:", last_out(2.0)), ("w.grad:", slope(lambda w: last_out(w).sum(), 2.0))]


def slices_in_a_loop() -> Pairs:
    """h is written once in each of three steps; it is read before."""
    pairs = []
    for t in range(1, 4):
        pairs += [("t =", t), ("h[", t - 1), ("saved at version", t - 1)]
    return [
        *pairs,
        ("h:", powers(2.0)),
        ("version", 3),
        ("[torch.FloatTensor []], ", HEADING),
        ("is at version", 3),
        ("expected version", 2),
    ]


def step_between() -> Pairs:
    """nn.Linear(3, 2): its weight, then the transpose; set once when made, then one step."""
    return [
        ("weight: [", 2),
        (",", 3),
        ("version", 1),
        ("after step(): version", 2),
        ("[torch.FloatTensor [", 3),
        (",", 2),
        ("is at version", 2),
        ("expected version", 1),
    ]


def view_in_no_grad() -> Pairs:
    """x = 2w, its first number times 10: recorded, or done to the number alone."""

    def scaled(w):
        return 2 * w * np.array([10, 1])

    w = np.array([1.0, 2])
    return [
        ("both in no_grad: x", scaled(w)),
        ("w.grad", slope(lambda w: np.sum(2 * w), w)),
        ("both outside: x", scaled(w)),
        ("w.grad", slope(lambda w: np.sum(scaled(w)), w)),
    ]


def views_of_many() -> Pairs:
    """2w, plus 1 at the first two."""

    def x(w):
        return 2 * w + np.array([1, 1, 0, 0])

    w = np.array([1.0, 2, 3, 4])
    both = [("x:", x(w)), ("w.grad:", slope(lambda w: np.sum(x(w)), w))]
    return [*both, *both]


def watch_versions() -> Pairs:
    """One edit, in shift."""
    return [
        ("after sigmoid: version", 0),
        ("after tanh:    version", 0),
        ("after shift:   version", 1),
        ("after product: version", 1),
    ]
