"""The numbers of `snippets/memory/`, found without autograd."""

from second_way.tools import HEADING, Pairs, slope

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
