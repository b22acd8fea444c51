import torch
from torch import nn


class Twice(nn.Module):
    def forward(self, x):
        return 2 * x, 3 * x


def run(name, hook, retain=False):
    twice = Twice()
    seen = []
    if hook:
        twice.register_full_backward_hook(lambda m, i, o: seen.append(o))
    x = torch.tensor(1.0, requires_grad=True)
    u, v = twice(x)
    u.backward(retain_graph=retain)
    try:
        v.backward()
        print(f"{name}: x.grad {x.grad.item()}, grad_output {seen}")
    except RuntimeError as error:
        print(f"{name}: {str(error).split(' (')[0]}")


run("no hook", False)
run("a hook", True)
run("a hook, retain_graph", True, retain=True)
