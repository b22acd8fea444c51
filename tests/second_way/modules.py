"""The numbers of `snippets/modules/`, found without autograd."""

import numpy as np

from second_way.tools import Pairs, sgd, slope

EXCEPTIONS = {
    ("muon", "torch.Size([4])"): "a shape",
    ("muon", "0.weight"): "the name of a parameter",
    ("muon", "0.bias"): "the name of a parameter",
    ("muon", "2.weight"): "the name of a parameter",
    ("muon", "2.bias"): "the name of a parameter",
    ("muon", "2D"): "part of a message",
    ("which_matrices", "words.weight 2"): "a number of dimensions",
    ("which_matrices", "conv.weight 3"): "a number of dimensions",
    ("which_matrices", "conv.bias 1"): "a number of dimensions",
    ("which_matrices", "norm.weight 1"): "a number of dimensions",
    ("which_matrices", "norm.bias 1"): "a number of dimensions",
    ("which_matrices", "hidden.weight 2"): "a number of dimensions",
    ("which_matrices", "hidden.bias 1"): "a number of dimensions",
    ("which_matrices", "head.weight 2"): "a number of dimensions",
    ("which_matrices", "head.bias 1"): "a number of dimensions",
    ("lazy", "(2, 3)"): "a shape",
    ("unknown_to_optimizer", "0.weight"): "the name of a parameter",
    ("unknown_to_optimizer", "0.bias"): "the name of a parameter",
    ("unknown_to_optimizer", "1.weight"): "the name of a parameter",
    ("unknown_to_optimizer", "1.bias"): "the name of a parameter",
    ("unknown_to_optimizer", "has: 2"): "a count of tensors",
    ("used_up", "holds 2"): "a count of tensors",
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


def replaced_head() -> Pairs:
    """body * new at (1, 3); only body takes the first step, then both, with lr = 0.5."""
    body, new = 1.0, 3.0
    by_new = slope(lambda w: body * w, new)
    return [
        ("new head, gradient:", by_new),
        ("new head, weight:", new),
        ("old head, gradient:", None),
        ("body, weight:", sgd(body, slope(lambda w: w * new, body), lr=0.5)),
        ("after add_param_group, new head:", sgd(new, by_new, lr=0.5)),
    ]


def used_up() -> Pairs:
    """A matrix of 2 by 3 and a bias of 2."""
    return [("elements:", 2 * 3 + 2), ("elements:", 2 * 3 + 2)]


def lazy() -> Pairs:
    """Two layers, from 3 to 2 to 1, with biases."""
    return [("the same object:", True), ("elements:", 2 * 3 + 2 + 2 + 1), ("moved:", True)]


def sparse_rows() -> Pairs:
    """The sum of rows 1, 3 and 3 of a table of 5 by 2."""
    table = slope(lambda table: np.sum(table[[1, 3, 3]]), np.zeros((5, 2)))
    used = np.flatnonzero(table.any(axis=1))
    return [("rows:", used), ("values:", table[used]), ("as a table:", table)]


def review_problem() -> Pairs:
    """first * head at (2, 3); the optimizer has neither."""
    return [
        ("first, gradient:", slope(lambda w: w * 3, 2.0)),
        ("head, gradient:", slope(lambda w: 2 * w, 3.0)),
        ("first, weight:", 2),
        ("head, weight:", 3),
    ]


def review_solution() -> Pairs:
    """The same with one step of both, lr = 0.5."""
    return [
        ("first, weight:", sgd(2.0, slope(lambda w: w * 3, 2.0), lr=0.5)),
        ("head, weight:", sgd(3.0, slope(lambda w: 2 * w, 3.0), lr=0.5)),
    ]
