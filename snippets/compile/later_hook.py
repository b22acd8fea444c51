import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(2, 2)
        self.outer = nn.Linear(2, 1)

    def forward(self, x):
        return self.outer(self.inner(x).relu())


def count(name):
    fired[name] = 0

    def hook(*args):
        fired[name] += 1

    return hook


fired = {}
x = torch.ones(1, 2, requires_grad=True)
net = Net()
compiled = torch.compile(net)
compiled(x).sum().backward()

net.register_forward_hook(count("forward hook on net"))
inner, weight = net.inner, net.inner.weight
inner.register_forward_pre_hook(count("forward pre-hook on inner"))
inner.register_forward_hook(count("forward hook on inner"))
name = "full backward hook on inner"
inner.register_full_backward_hook(count(name))
weight.register_hook(count("hook on the weight"))
post = count("post-accumulate-grad hook")
weight.register_post_accumulate_grad_hook(post)

compiled(x).sum().backward()
for name, times in fired.items():
    print(f"{name}: {times}")
