import torch
from torch.utils.flop_counter import FlopCounterMode

torch.manual_seed(0)
weights = [torch.randn(8, 8, requires_grad=True) for _ in range(4)]
one_product = 2 * 8 * 8 * 8


def network(x):
    h = x
    for w in weights:
        h = torch.tanh(h @ w)
    return h.sum()


def penalty(out, x):
    (g,) = torch.autograd.grad(out, x, create_graph=True)
    return ((g.norm(dim=1) - 1) ** 2).mean()


def count(label, work, *inputs):
    counter = FlopCounterMode(display=False)
    with counter:
        result = work(*inputs)
    print(label, counter.get_total_flops() // one_product)
    return result


x = torch.randn(8, 8)
out = count("without, forward:", network, x)
count("without, backward:", out.backward)

x.requires_grad_()
out = count("with, forward:", network, x)
extra = count("with, gradient at x:", penalty, out, x)
count("with, backward:", (out + extra).backward)
