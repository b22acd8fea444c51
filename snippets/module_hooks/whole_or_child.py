import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, order):
        super().__init__()
        self.f1 = nn.Linear(4, 1)
        nn.init.constant_(self.f1.weight, 8.0)
        nn.init.constant_(self.f1.bias, 2.0)
        self.order = order

    def forward(self, x):
        for step in self.order:
            x = self.f1(x) if step == "f1" else x / 4
        return x


for order in (("f1", "/4"), ("/4", "f1"), ("/4", "f1", "/4")):
    net = Net(order)
    x = torch.tensor([1.0, 2.0, 3.0, 4.0], requires_grad=True)
    result = net(x)
    result.backward()
    print(", then ".join(order))
    print("  result:", result.item())
    print("  x.grad:", x.grad)
    print("  f1.weight.grad:", net.f1.weight.grad)
    print("  f1.bias.grad:", net.f1.bias.grad)
