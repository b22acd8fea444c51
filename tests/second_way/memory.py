"""The numbers of `snippets/memory/`, found without autograd."""

import numpy as np
import torch

from second_way.tools import HEADING, Pairs, slope

EXCEPTIONS = {
    ("other_dtype", "position 0"): "PyTorch's message: a place in a list",
    ("two_kinds", "element 0 of tensors"): "PyTorch's message: a place in a list",
}

BATCH, WIDTH, FLOAT, INT64 = 64, 16, 4, 8
TENSOR = BATCH * WIDTH * FLOAT
"""The bytes of an activation."""


def saved_bytes() -> Pairs:
    """The input, the result or a mask of that size; per row two floats; per pair of 16 a place."""
    row, place = BATCH * FLOAT, BATCH * WIDTH // 2 * INT64
    return [
        ("Linear     input", TENSOR),
        ("GELU       input", TENSOR),
        ("ReLU       result", TENSOR),
        ("Softmax    result", TENSOR),
        ("Dropout    something else", TENSOR),
        ("LayerNorm  input", TENSOR),
        ("LayerNorm  something else", row),
        ("LayerNorm  something else", row),
        ("MaxPool    input", TENSOR),
        ("MaxPool    something else", place),
    ]


def who_frees() -> Pairs:
    """Two tensors, of the linear layer and of GELU, while a graph is there."""
    return [
        ("after the forward pass:", 2 * TENSOR),
        ("after backward():", 0),
        ("another forward pass:", 2 * TENSOR),
        ("loss deleted:", 0),
        ("under no_grad():", 0),
    ]


def validation() -> Pairs:
    """Two tensors for each graph that is there: all so far, the last one, none."""
    pairs: Pairs = []
    for heading, graphs in (
        ("eval(), append(loss):", [1, 2, 3]),
        ("eval(), append(loss.item()):", [1, 1, 1]),
        ("eval() and no_grad(), append(loss):", [0, 0, 0]),
    ):
        pairs.append((heading, HEADING))
        for batch, count in enumerate(graphs):
            pairs += [("  batch", batch), (":", count * 2 * TENSOR)]
    return pairs


def relu_or_gelu() -> Pairs:
    """Four inputs, and the last result of ReLU or the input of each GELU."""
    return [
        ("ReLU():", 4 + 1),
        ("blocks,", (4 + 1) * TENSOR),
        ("):", 4 + 4),
        ("blocks,", (4 + 4) * TENSOR),
    ]


def computed_again() -> Pairs:
    """(w x)^2 at w = 2, x = 3; the block is called for each pass."""
    return [
        ("after the forward pass, calls:", 1),
        ("after backward(), calls:", 2),
        ("w.grad:", slope(lambda w: (w * 3) ** 2, 2)),
    ]


def four_blocks() -> Pairs:
    """Per block the input, and two tensors four times as wide; or the input alone."""
    pairs: Pairs = []
    for heading, tensors, size, calls in (
        ("plain", 3, TENSOR + 2 * 4 * TENSOR, 4),
        ("checkpointed", 1, TENSOR, 8),
    ):
        pairs += [
            (heading, HEADING),
            ("  ", 4 * tensors),
            ("tensors,", 4 * size),
            ("forward pass, calls:", 4),
            ("after backward(), calls:", calls),
        ]
    return [*pairs, ("same gradients:", True)]


def segments() -> Pairs:
    """k - 1 inputs, the last segment, and two: a gradient that came, and one that is computed."""
    pairs: Pairs = []
    for k in range(1, 17):
        again = (k - 1) * (16 // k)
        peak = k - 1 + (16 - again) + 2
        pairs += [("segments", k), ("at most", peak), ("activations,", again)]
    return pairs


def products() -> Pairs:
    """Two for each of two products; once more both, or the first, whose result goes into tanh."""
    return [
        ("no checkpoint:", 4),
        ("use_reentrant=True:", 4 + 2),
        ("use_reentrant=False:", 4 + 1),
    ]


def keep_products() -> Pairs:
    """A result of 64 x 64 in float32, before and after GELU; the first product only in between."""
    wide = 64 * 64 * 4
    return [
        ("plain:", 2 * wide),
        ("in backward()", 2 + 2),
        ("products,", 0),
        ("checkpoint:", 0),
        ("in backward()", 2 + 2 + 1),
        ("products,", 1),
        ("products kept:", wide),
        ("in backward()", 2 + 2),
        ("products,", 1),
    ]


def normalized(momentum: float, times: int) -> Pairs:
    """(x - mean) / sqrt(var) of 1 and 3 is -1 at x = 1; the mean is 2, approached from 0."""
    mean = 0.0
    for _ in range(times):
        mean += momentum * (2 - mean)
    return [
        ("weight.grad:", [slope(lambda w: (w * -1) ** 2, 1)]),
        ("running_mean:", [mean]),
        ("num_batches_tracked:", times),
    ]


def batch_norm_twice() -> Pairs:
    """One update, two, and two that come to one."""
    return [
        ("plain, momentum 0.75:", HEADING),
        *normalized(0.75, 1),
        ("checkpointed, momentum", 0.75),
        *normalized(0.75, 2),
        ("checkpointed, momentum", 0.5),
        *normalized(0.5, 2),
    ]


def hooks_once() -> Pairs:
    """One update."""
    return [("hook fired: BatchNorm1d", HEADING), normalized(0.75, 1)[1]]


def dropout_again() -> Pairs:
    """Each draw of the generator from seed 0: kept where it is below 0.5, doubled."""
    torch.manual_seed(0)
    first, second = (2 * torch.empty(6).bernoulli_(0.5).double().numpy() for _ in range(2))
    return [
        ("result:", first),
        ("gradient:", first),
        ("result:", first),
        ("gradient:", second),
    ]


def drop_a_layer() -> Pairs:
    """cos of what is there: e^0; then the sine saves e^0, and the exponential its result."""
    return [
        ("one_or_other:", np.sin(0)),
        ("x.grad:", np.cos(np.exp(0))),
        ("one_or_two:", round(np.sin(np.exp(0)))),
        ("saved during forward:", 2),
        ("during recomputation:", 1),
    ]


def saves_more() -> Pairs:
    return [("x.grad:", slope(np.sin, 0.0))]


def two_kinds() -> Pairs:
    """w x scale at w = 3, x = 2."""
    of_w = slope(lambda w: w * 2, 3)
    return [
        ("needs a gradient: w.grad", of_w),
        ("needs a gradient: w.grad", of_w),
        ("only w needs one: w.grad", of_w),
        ("autograd.grad: (tensor(", slope(lambda x: 3 * x, 2)),
        ("keyword argument: w.grad", slope(lambda w: w * 2 * 2, 3)),
    ]


def in_place_unnoticed() -> Pairs:
    """(sigmoid + 1)^2 at 0; with s (1 - s) for an s that has become 1.5."""
    right = slope(lambda x: (1 / (1 + np.exp(-x)) + 1) ** 2, 0)
    s = 1 / (1 + np.exp(0)) + 1
    return [
        ("use_reentrant=False: x.grad", 2 * s * s * (1 - s)),
        ("no checkpoint: x.grad", right),
        ("use_reentrant=True: x.grad", right),
        ("use_reentrant=False: x.grad", right),
    ]


def edits_its_input() -> Pairs:
    """(w x)^2 at w = 3, with x doubled once or twice."""
    once, twice = (slope(lambda w, x=x: (w * x) ** 2, 3) for x in (2, 4))
    return [
        ("no checkpoint: w.grad", once),
        ("in a list: w.grad", twice),
        ("copy: w.grad", once),
    ]


def not_passed() -> Pairs:
    """The version that PyTorch's warning names, as the page repeats it."""
    return [("Starting in PyTorch", 2.9)]


def detached_output() -> Pairs:
    """5 w x plus a constant, at w = 3, x = 2."""
    of_w = slope(lambda w: 5 * w * 2 + 6, 3)
    return [("w.grad:", of_w), ("w.grad:", of_w)]


def half_or_disk() -> Pairs:
    """3 w^2; in bfloat16 with 8 bits 1.001 is 1."""
    w = np.array([1.001, 3.0])
    of_w = slope(lambda w: np.sum(w**3), w)
    in_half = slope(lambda w: np.sum(w**3), np.round(w * 128) / 128)
    return [
        ("disk: y", w**3),
        ("w.grad", of_w),
        ("files:", 1),
        (": y", w**3),
        ("w.grad", in_half),
    ]


def edited_unnoticed() -> Pairs:
    """2 h with h = 2, or with h + 3."""
    return [
        ("copy: w.grad", slope(lambda w: w**2, 2)),
        ("same storage: w.grad", slope(lambda h: h**2, 2 + 3)),
        ("save_on_cpu, on the CPU: w.grad", slope(lambda h: h**2, 2 + 3)),
    ]


def what_pack_gets() -> Pairs:
    """Each layer's input, 64 by 16, and the weight that a gradient passes, 16 by 16."""
    rows = ([64, 16], [64, 16], [16, 16])
    return [("saved", np.array(shape)) for shape in rows]


def batch_size() -> Pairs:
    """Four times 8 layers of 64 by 64 weights and 64 biases; per sample 16 rows of 64."""
    sizes = (16, 32, 64, 128, 256)
    return [
        ("moments of Adam:", 4 * 8 * (64 * 64 + 64) * FLOAT),
        *(
            pair
            for size in sizes
            for pair in (("batch of", size), ("kept for backward:", size * 16 * 64 * FLOAT))
        ),
    ]


def what_helps() -> Pairs:
    """Per block and row 64 + 2 * 256 numbers; 2 bytes each, and seven weights; inputs alone."""

    def kept(rows: int, blocks: int = 4, size: int = FLOAT) -> int:
        return blocks * rows * (64 + 2 * 256) * size

    return [
        ("as it is:", kept(256)),
        ("a quarter of the batch:", kept(64)),
        ("autocast to bfloat16:", kept(256, size=2) + 7 * 64 * 256 * 2),
        ("checkpoints:", 4 * 256 * 64 * FLOAT),
        ("the first three blocks frozen:", kept(256, blocks=1)),
        ("no_grad():", 0),
    ]


def reviewed(adapter: Pairs) -> Pairs:
    """(3 a n)^2 for n = -1 and 1, at a = 1; half the way to the mean of 2 and 6."""
    of_head = slope(lambda h: np.mean((h * np.array([-1.0, 1])) ** 2), 3)
    return [("head, gradient:", [[of_head]]), *adapter, ("running_mean:", [0.5 * 4])]


def review_problem() -> Pairs:
    """The adapter gets nothing."""
    return [*reviewed([("adapter, gradient:", None)]), ("losses[0].grad_fn:", HEADING)]


def review_solution() -> Pairs:
    """The running variance goes half the way from 1 to that of 2 and 6, which is 8."""
    of_adapter = slope(lambda a: np.mean((3 * a * np.array([-1.0, 1])) ** 2), 1)
    loss = np.mean((3 * (np.array([2.0, 6]) - 2) / np.sqrt(0.5 + 0.5 * 8)) ** 2)
    return [*reviewed([("adapter, gradient:", [[of_adapter]])]), ("losses[0]:", round(loss, 2))]
