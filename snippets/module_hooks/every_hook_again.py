from collections import Counter

import torch
from torch import nn
from torch.autograd.graph import register_multi_grad_hook, saved_tensors_hooks
from torch.utils.checkpoint import checkpoint


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(1, 1, bias=False)

    def forward(self, x):
        y = self.fc(x)
        y.register_hook(count("tensor hook on y"))
        y.grad_fn.register_hook(count("node hook"))
        return y.square()


def count(kind):
    return lambda *args: fired.update([kind])


def train(call):
    fired.clear()
    net = Net()
    w = net.fc.weight
    x = torch.ones(1, 1, requires_grad=True)
    sgd = torch.optim.SGD([w])
    net.fc.register_forward_pre_hook(count("forward pre-hook"))
    net.fc.register_forward_hook(count("forward hook"))
    net.fc.register_full_backward_pre_hook(count("full backward pre-hook"))
    net.fc.register_full_backward_hook(count("full backward hook"))
    w.register_hook(count("tensor hook on w"))
    w.register_post_accumulate_grad_hook(count("post-accumulate hook"))
    register_multi_grad_hook([x, w], count("multi-grad hook"))
    sgd.register_step_post_hook(count("step post-hook"))
    pack, unpack = count("pack hook"), count("unpack hook")
    with saved_tensors_hooks(lambda t: pack() or t, lambda t: unpack() or t):
        call(net, x).backward()
    sgd.step()
    return dict(fired)


fired = Counter()
plain = train(lambda net, x: net(x))
again = train(lambda net, x: checkpoint(net, x, use_reentrant=False))
for kind, times in plain.items():
    print(f"{kind}: {times}, with checkpoint: {again[kind]}")
