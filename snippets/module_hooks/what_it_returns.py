import torch
from torch import nn


class Show(nn.Module):
    def forward(self, *args):
        print("  forward got:", args)


def hook_that_returns(value):
    return lambda module, args: value


a, b = torch.tensor(2.0), torch.tensor(3.0)
for name, value in [
    ("None", None),
    ("a tuple", (a + 10, b)),
    ("one tensor", a + 10),
    ("a list", [a + 10, b]),
]:
    net = Show()
    net.register_forward_pre_hook(hook_that_returns(value))
    print(f"the hook returns {name}:")
    net(a, b)
