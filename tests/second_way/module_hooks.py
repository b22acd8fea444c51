"""The numbers of `snippets/module_hooks/`, found without autograd."""

import numpy as np

from second_way.tools import HEADING, Pairs, Value, sgd, slope

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
    ("captured_inside", "at index 0"): "a place in an argument list, part of a message",
    ("in_place_relu", "Output 0 of"): "the number of an output, part of a message",
    ("which_edits", "Output 0 of"): "the number of an output, part of a message",
}

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


def save_whole() -> Pairs:
    """A weight of 1, and twice that."""
    return [("state_dict, no hook:", 1.0 * 3.0), ("double, with its hook:", 2 * 1.0 * 3.0)]


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


def once_per_pass() -> Pairs:
    """u = 3x, loss u^2 at x = 1: its gradient by u; then the penalty (2u * 3)^2 by u and by x."""
    at_u = slope(lambda u: u**2, 3)
    penalty_at_u = slope(lambda u: (2 * u * 3) ** 2, 3)
    return [
        ("hook, grad_output:", at_u),
        ("hook, grad_output:", penalty_at_u),
        ("x.grad:", 3 * penalty_at_u),
    ]


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
    """The sum of W x for W of ones, 4 outputs, by x, doubled; and thrown away."""
    gradient = slope(lambda x: (np.ones((4, 2)) @ x).sum(), [1, 1])
    return [("double, x.grad:", 2 * gradient), ("none_inside, x.grad:", None)]


# Backward hooks.

BACK_ONES = np.ones(3)


def back_relu(z: np.ndarray) -> np.ndarray:
    return np.maximum(z, 0)


def back_fc1(x: np.ndarray, weight: np.ndarray = ROWS, bias: np.ndarray = SHIFT) -> np.ndarray:
    """x W^T + b of the first layer of the 3-4-1 network."""
    return weight @ x + bias


def back_fc2(h: np.ndarray, weight: np.ndarray = LAST, bias: float = 1.0) -> float:
    """The second layer, which has one output."""
    return weight @ h + bias


def at_fc1_input() -> np.ndarray:
    return slope(lambda x: back_fc2(back_relu(back_fc1(x))), BACK_ONES)


def at_relu_input() -> np.ndarray:
    return slope(lambda z: back_fc2(back_relu(z)), back_fc1(BACK_ONES))


def at_fc2_input() -> np.ndarray:
    return slope(back_fc2, back_relu(back_fc1(BACK_ONES)))


def fc2_node() -> list[np.ndarray]:
    """The derivatives of the last operation by its bias, its input and its weight."""
    h = back_relu(back_fc1(BACK_ONES))
    return [
        slope(lambda bias: back_fc2(h, bias=bias), 1.0),
        at_fc2_input(),
        slope(lambda weight: back_fc2(h, weight), LAST),
    ]


def back_f1(x: np.ndarray, weight: np.ndarray | None = None, bias: float = 2.0) -> float:
    """nn.Linear(4, 1) with weight 8 and bias 2."""
    return (np.full(4, 8.0) if weight is None else weight) @ x + bias


BACK_FOUR = np.array([1.0, 2, 3, 4])
BACK_ORDERS = (("f1", "/4"), ("/4", "f1"), ("/4", "f1", "/4"))


def back_through(order: tuple[str, ...], x: np.ndarray, *parameters: Value) -> float:
    """The steps of `order` after each other."""
    for step in order:
        x = back_f1(x, *parameters) if step == "f1" else x / 4
    return x


def back_heading(order: tuple[str, ...]) -> Pairs:
    return [("/4", HEADING)] * order.count("/4")


def batch_of_one() -> Pairs:
    """f1 at x / 4: by its bias, its input, its weight."""
    x, weight = BACK_FOUR / 4, np.full(4, 8.0)
    return [
        ("in grad_input:", slope(lambda bias: back_f1(x, bias=bias), 2.0)),
        ("in grad_input:", slope(back_f1, x)),
        ("in grad_input:", slope(lambda weight: back_f1(x, weight), weight)),
    ]


def pre_and_full() -> Pairs:
    """5 y with y = 3x: 5 at y, doubled, and 3 times that at x = 4."""
    at_y = slope(lambda y: 5 * y, 12)
    return [
        ("pre_hook, grad_output:", at_y),
        ("full_hook, grad_output:", 2 * at_y),
        ("full_hook, grad_input:", 2 * at_y * slope(lambda x: 3 * x, 4)),
    ]


def captured_inside() -> Pairs:
    """5 y with y = 3x at x = 4, whichever tensor the value 12 is read from."""
    at_y, at_x = slope(lambda y: 5 * y, 12), slope(lambda x: 5 * 3 * x, 4)
    return [
        ("inner is y:", False),
        ("tensor hook:", at_y),
        ("full hook:", at_x),
        ("dy/dx:", at_x),
        ("tensor hook:", at_y),
        ("d(inner)/dx:", at_x),
    ]


def full_children() -> Pairs:
    """The 3-4-1 network: the derivative of its output by the input and output of each layer."""
    return [
        ("fc2, grad_output:", slope(lambda out: out, back_fc2(back_relu(back_fc1(BACK_ONES))))),
        ("fc2, grad_input:", at_fc2_input()),
        ("relu, grad_output:", at_fc2_input()),
        ("relu, grad_input:", at_relu_input()),
        ("fc1, grad_output:", at_relu_input()),
        ("fc1, grad_input:", at_fc1_input()),
    ]


def full_hook() -> Pairs:
    """10 a b at a = 2, b = 3: by the product, by a, by b."""
    at_product = slope(lambda product: 10 * product, 6)
    at_a, at_b = slope(lambda ab: 10 * ab[0] * ab[1], [2, 3])
    return [
        ("grad_output:", at_product),
        ("grad_input:", np.array([at_a, at_b])),
        ("a.grad:", at_a),
        ("b.grad:", at_b),
    ]


def gan_order() -> Pairs:
    """(w g)^2 moves w from 2; then d/dg (w g - 1)^2 at g = 3, with the new w or with the old."""
    moved = sgd(2.0, slope(lambda w: (w * 3) ** 2, 2), lr=0.1)

    def at_g(w):
        return slope(lambda g: (w * g - 1) ** 2, 3)

    return [
        ("  w:", moved),
        ("g.grad:", at_g(moved)),
        ("  w:", moved),
        ("g.grad:", at_g(2.0)),
        ("  w:", moved),
    ]


def both_hooks() -> Pairs:
    """x / 4, f1, / 4: by the inputs and outputs of f1, and by those of the whole."""
    order = ("/4", "f1", "/4")
    whole = slope(lambda x: back_through(order, x), BACK_FOUR)
    at_f1 = back_through(("/4",), BACK_FOUR)
    return [
        ("  grad_output:", slope(lambda y: back_through(("/4",), y), back_f1(at_f1))),
        ("  grad_input:", slope(lambda x: back_through(("f1", "/4"), x), at_f1)),
        ("  grad_output:", slope(lambda y: y, back_through(order, BACK_FOUR))),
        ("  grad_input:", whole),
        ("x.grad:", whole),
    ]


def hook_on_child() -> Pairs:
    """By the output of f1 and by its input: what follows f1, and that times 8."""
    pairs: Pairs = []
    for order in BACK_ORDERS:
        place = order.index("f1")
        before, after = order[:place], order[place + 1 :]
        x = back_through(before, BACK_FOUR)
        pairs += [
            *back_heading(order),
            (
                "grad_output of f1:",
                slope(lambda y, after=after: back_through(after, y), back_f1(x)),
            ),
            ("grad_input of f1:", slope(lambda x, after=after: back_through(after, back_f1(x)), x)),
        ]
    return pairs


def hook_on_whole() -> Pairs:
    """The last operation is y / 4, or a view of y; and the derivative by the net's input."""
    pairs: Pairs = []
    for order in BACK_ORDERS:
        quarter = order[-1] == "/4"
        last = slope(lambda y, quarter=quarter: y / 4 if quarter else y, 22)
        pairs += [
            *back_heading(order),
            ("  backward: (", last),
            *([("]),", None)] if quarter else []),
            ("  full_backward:", slope(lambda x, order=order: back_through(order, x), BACK_FOUR)),
        ]
    return pairs


def in_place_mends() -> Pairs:
    """5 relu(w x) at x = 2, w = (3, -3): by z = w x and by w, three times the same."""
    seen, weight = relu_pair()
    return [("seen:", seen), ("weight.grad:", weight)] * 3


def in_place_relu() -> Pairs:
    """5 relu(w x) at x = 2, w = (3, -3): by w, and by the output of the ReLU."""
    weight = relu_pair()[1]
    after = slope(lambda y: np.sum(5 * y), back_relu(np.array([6.0, -6])))
    return [
        ("weight.grad:", weight),
        ("hook, grad_output:", after),
        ("weight.grad:", weight),
    ]


def last_node() -> Pairs:
    """22 = f1(x / 4); a view passes 1 on, a sum passes 1 on to both summands."""
    x = BACK_FOUR / 4
    product = back_f1(x) - 2
    return [
        ("f1(x):", back_f1(x)),
        ("inputs of the node:", slope(lambda y: y, back_f1(x))),
        ("x @ f1.weight.t() + f1.bias:", back_f1(x)),
        ("inputs of the node:", slope(lambda pair: pair[0] + pair[1], [product, 2])),
    ]


def old_no_bias() -> Pairs:
    """w x + b at w = (3, 4), x = (5, 6): by b, by x, by w; without b: by x, by w."""
    w, x = np.array([3.0, 4]), np.array([5.0, 6])
    at_b = slope(lambda b: w @ x + b, 0)
    at_x, at_w = slope(lambda x: w @ x, x), slope(lambda w: w @ x, w)
    pairs: Pairs = []
    for inputs in ((at_b, at_x, at_w), (at_x, at_w)):
        for place, gradient in enumerate(inputs):
            pairs += [("grad_input[", place), ("]:", gradient)]
        pairs.append(("x.grad:", at_x))
    return pairs


def old_triple() -> Pairs:
    """Each layer's operation, by its bias, its input and its transposed weight."""

    def by_weight(weight):
        return back_fc2(back_relu(back_fc1(BACK_ONES, weight)))

    def by_bias(bias):
        return back_fc2(back_relu(back_fc1(BACK_ONES, bias=bias)))

    pairs: Pairs = [
        (f"{place} of grad_input:", grad)
        for place, grad in zip(("first", "second", "third"), fc2_node(), strict=True)
    ]
    return [
        *pairs,
        ("first of grad_input:", at_relu_input()),
        ("first of grad_input:", slope(by_bias, SHIFT)),
        ("second of grad_input:", at_fc1_input()),
        ("third of grad_input:", slope(by_weight, ROWS).T),
    ]


def old_two_outputs() -> Pairs:
    """10 a + 100 b with a = 2x, b = 3x; the old hook: the node of a, whose inputs are x and 2."""
    at_a, at_b = slope(lambda ab: 10 * ab[0] + 100 * ab[1], [2, 3])
    return [
        ("grad_output: (", at_a),
        ("grad_input: (", at_a * slope(lambda x: 2 * x, 1)),
        ("),", None),
        ("grad_output: (", np.array([at_a, at_b])),
        ("grad_input: (", slope(lambda x: 10 * (2 * x) + 100 * (3 * x), 1)),
        ("grad_output: (", None),
        (",", at_b),
        ("grad_input: (", slope(lambda x: 100 * (3 * x), 1)),
    ]


def old_whole() -> Pairs:
    """The last layer by its bias, input and weight; and the network by its input."""
    label = "in grad_input:"
    return [*((label, grad) for grad in fc2_node()), (label, at_fc1_input())]


def param_called_twice() -> Pairs:
    """a + 2b with a = b = 3x: 2 at b, 1 at a, and (1 + 2) x at the weight, x = 4."""
    at_a, at_b = slope(lambda ab: ab[0] + 2 * ab[1], [12, 12])
    weight = slope(lambda w: w * 4 + 2 * (w * 4), 3)
    return [
        ("full hook, grad_output:", at_b),
        ("full hook, weight.grad:", None),
        ("post-accumulate hook, weight.grad:", weight),
        ("full hook, grad_output:", at_a),
        ("full hook, weight.grad:", weight),
    ]


def param_in_hook() -> Pairs:
    """5 w x at w = 3, x = 4."""
    at_x, at_w = slope(lambda x: 5 * 3 * x, 4), slope(lambda w: 5 * w * 4, 3)
    return [
        ("grad_input: (", None),
        ("in the hook, weight.grad:", None),
        ("after backward, weight.grad:", at_w),
        ("grad_input: (", at_x),
        ("in the hook, weight.grad:", at_w),
        ("after backward, weight.grad:", at_w),
    ]


def review_problem() -> Pairs:
    """y = 5 h with h = 3 x cut off: the slope by the weight 5, and what two batches leave of it."""
    once = slope(lambda w: w * 3 * 2, 5)
    return [
        ("batch", 1),
        ("in the hook, fc2.weight.grad:", None),
        ("features kept:", 1),
        ("fc1.weight.grad:", None),
        ("batch", 2),
        ("in the hook, fc2.weight.grad:", once),
        ("in the hook, fc2.weight.grad:", once),
        ("features kept:", 1 + 2),
        ("fc1.weight.grad:", None),
    ]


def review_solution() -> Pairs:
    """y = 5 h with h = 3 x: the slopes by 5 and by 3, the same in each batch."""
    by_fc1, by_fc2 = slope(lambda w: 5 * w * 2, 3), slope(lambda w: w * 3 * 2, 5)
    batches = [
        pair
        for batch in (1, 2)
        for pair in (
            ("batch", batch),
            ("in the hook, fc2.weight.grad:", by_fc2),
            ("features kept:", batch),
            ("fc1.weight.grad:", by_fc1),
        )
    ]
    return [*batches, ("after remove(), features kept:", 2)]


def param_stale() -> Pairs:
    """w x for x = 4, then for x = 7, without clearing."""
    first, second = (slope(lambda w, x=x: w * x, 1) for x in (4, 7))
    return [
        ("in the hook, weight.grad:", None),
        ("after backward, weight.grad:", first),
        ("in the hook, weight.grad:", first),
        ("after backward, weight.grad:", first + second),
    ]


def relu_pair() -> tuple[np.ndarray, np.ndarray]:
    """sum(5 relu(z)), z = 2w, at w = (3, -3): by z and by w."""
    return (
        slope(lambda z: np.sum(5 * back_relu(z)), [6, -6]),
        slope(lambda w: np.sum(5 * back_relu(2 * w)), [3, -3]),
    )


def replace_gradient() -> Pairs:
    """5 y, y = w x, x = 4u at w = 3, u = 1; doubled at x (full hook) or at y (pre-hook)."""
    at_y = slope(lambda y: 5 * y, 12)
    w_per_y, x_per_y = slope(lambda w: w * 4, 3), slope(lambda x: 3 * x, 4)
    u_per_x = slope(lambda u: 4 * u, 1)
    pairs: Pairs = []
    for at_output, at_input in ((1, 1), (1, 2), (2, 1)):
        y = at_output * at_y
        pairs += [
            ("fc.weight.grad:", y * w_per_y),
            ("u.grad:", y * x_per_y * at_input * u_per_x),
        ]
    return pairs


def three_inputs() -> Pairs:
    """(x y) z at 2, 3, 5: by the factors of the last product, and by x, y and z."""
    return [
        ("grad_input:", slope(lambda factors: factors[0] * factors[1], [2 * 3, 5])),
        ("grad_input:", slope(lambda v: (v[0] * v[1]) * v[2], [2, 3, 5])),
    ]


def when_it_warns() -> Pairs:
    """relu at 3, twice; then a product of two factors that happen to be one tensor."""
    once = slope(back_relu, 3)
    return [
        ("warned:", True),
        ("grad_input:", once),
        ("warned:", False),
        ("grad_input:", once),
        ("warned:", False),
        ("grad_input:", slope(lambda factors: factors[0] * factors[1], [3, 3])),
    ]


def which_edits() -> Pairs:
    """No number but those of the edits' own names."""
    return [
        ("y * 2", HEADING),
        ("y.clone().mul_(2)", HEADING),
        ("y.mul_(2)", HEADING),
        ("y.mul_(2) under no_grad", HEADING),
        ("y.detach().mul_(2)", HEADING),
        ("forward under no_grad, y.mul_(2)", HEADING),
    ]


def whole_or_child() -> Pairs:
    """The three orders at x = (1, 2, 3, 4): by x, by the weight 8, by the bias 2."""
    pairs: Pairs = []
    weight = np.full(4, 8.0)
    for order in BACK_ORDERS:
        pairs += [
            *back_heading(order),
            ("result:", back_through(order, BACK_FOUR)),
            ("x.grad:", slope(lambda x, o=order: back_through(o, x), BACK_FOUR)),
            ("f1.weight.grad:", slope(lambda w, o=order: back_through(o, BACK_FOUR, w), weight)),
            ("f1.bias.grad:", slope(lambda b, o=order: back_through(o, BACK_FOUR, weight, b), 2)),
        ]
    return pairs
