"""The graph behind a tensor."""

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
