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


def report(module, grad_input, grad_output):
    print("  grad_output of f1:", grad_output[0])
    print("  grad_input of f1:", grad_input[0])


for order in (("f1", "/4"), ("/4", "f1"), ("/4", "f1", "/4")):
    net = Net(order)
    net.get_submodule("f1").register_full_backward_hook(report)
    x = torch.tensor([1.0, 2.0, 3.0, 4.0], requires_grad=True)
    print(", then ".join(order))
    net(x).backward()
