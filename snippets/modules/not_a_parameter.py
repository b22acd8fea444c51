import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = {"first": nn.Linear(2, 3)}
        self.head = nn.Linear(3, 1)
        self.shift = torch.zeros(1, requires_grad=True)

    def forward(self, x):
        h = self.hidden["first"](x)
        return self.head(h) + self.shift


def leaves(node, seen):
    if node is None or node in seen:
        return []
    seen.add(node)
    if hasattr(node, "variable"):
        return [node.variable]
    found = []
    for next_node, _ in node.next_functions:
        found += leaves(next_node, seen)
    return found


net = Net()
loss = net(torch.ones(1, 2)).sum()
known = set(net.parameters())
for leaf in leaves(loss.grad_fn, set()):
    if leaf not in known:
        print("not in parameters():", tuple(leaf.shape))
