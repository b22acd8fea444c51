import torch
from torch import nn


def nodes(tensor):
    found, queue = set(), [tensor.grad_fn]
    while queue:
        node = queue.pop()
        if node is not None and node not in found:
            found.add(node)
            queue += [upstream for upstream, _ in node.next_functions]
    return [node.name().split("::")[-1] for node in found]


for frozen in ([], [2, 3], [0, 1]):
    layers = [nn.Linear(8, 8, bias=False) for _ in range(4)]
    for i in frozen:
        layers[i].requires_grad_(False)
    names = nodes(nn.Sequential(*layers)(torch.ones(32, 8)))
    print(f"frozen {frozen}:")
    for name in ("MmBackward0", "TBackward0", "AccumulateGrad"):
        print(f"  {name}: {names.count(name)}")
    print("  all nodes:", len(names))
