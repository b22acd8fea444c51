"""The graph behind a tensor."""

from collections.abc import Callable

import torch


def nodes_behind(tensor: torch.Tensor) -> set:
    """All nodes of the graph behind a tensor."""
    found, waiting = set(), [tensor.grad_fn]
    while waiting:
        node = waiting.pop()
        if node is not None and node not in found:
            found.add(node)
            waiting += [after for after, _ in node.next_functions]
    return found


def saved_tensors(node: torch.autograd.graph.Node) -> list[torch.Tensor]:
    """The tensors that a node has saved for the backward pass."""
    values = [getattr(node, name) for name in dir(node) if name.startswith("_saved_")]
    each = [one for value in values for one in (value if isinstance(value, tuple) else (value,))]
    return [one for one in each if isinstance(one, torch.Tensor)]


def own(forward: Callable, backward: Callable) -> type[torch.autograd.Function]:
    """A Function of these two: a node of one's own."""
    methods = {"forward": staticmethod(forward), "backward": staticmethod(backward)}
    return type("Own", (torch.autograd.Function,), methods)
