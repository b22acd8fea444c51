"""The numbers of `snippets/modules/`, found without autograd."""

import numpy as np

from second_way.tools import Pairs, sgd, slope

EXCEPTIONS = {
    ("not_a_parameter", "(3,)"): "a shape",
    ("not_a_parameter", "(3, 2)"): "a shape",
    ("not_a_parameter", "(1,)"): "a shape",
    ("registered", "hidden[0]"): "the name of a layer",
    ("left_behind", "list 0"): "a count of parameters",
    ("left_behind", "ModuleList 4"): "a count of parameters",
}


def plain_list() -> Pairs:
    """hidden * head + shift at (2, 3, 1); of the three only head takes its step, with lr = 0.5."""
    hidden, shift, head = 2.0, 1.0, 3.0
    by_head = slope(lambda w: hidden * w + shift, head)
    return [
        ("hidden.weight.grad:", slope(lambda w: w * head + shift, hidden)),
        ("shift.grad:", slope(lambda b: hidden * head + b, shift)),
        ("head.weight.grad:", by_head),
        ("hidden.weight:", hidden),
        ("shift:", shift),
        ("head.weight:", sgd(head, by_head, lr=0.5)),
    ]


def compute_in_forward() -> Pairs:
    """softmax(scores) @ (4, 8) from scores = (0, 0), one step with lr = 1."""
    x = np.array([4.0, 8.0])

    def loss(scores):
        return np.sum(np.exp(scores) * x) / np.sum(np.exp(scores))

    scores = np.zeros(2)
    gradient = slope(loss, scores)
    after = sgd(scores, gradient, lr=1)
    return [
        ("loss:", loss(scores)),
        ("scores.grad:", gradient),
        ("scores:", after),
        ("loss after:", loss(after)),
    ]
