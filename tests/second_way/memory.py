"""The numbers of `snippets/memory/`, found without autograd."""

from second_way.tools import HEADING, Pairs

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
