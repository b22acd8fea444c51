import torch
from torch import nn


def train(cut):
    net = nn.Linear(1, 1, bias=False)
    nn.init.constant_(net.weight, 2.0)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    x1, x2 = torch.tensor([[1.0]]), torch.tensor([[3.0]])
    left, right = net(x1), net(x2)
    if cut:
        right = right.detach()
    loss = ((left - right) ** 2).sum()
    loss.backward()
    optimizer.step()
    print("  gradient:", net.weight.grad.item())
    print("  after step:", round(net.weight.item(), 4))


print("both branches")
train(cut=False)
print("right branch detached")
train(cut=True)
