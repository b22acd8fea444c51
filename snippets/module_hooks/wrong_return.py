import torch
from torch import nn


def double(module, grad_input, grad_output):
    return (grad_input[0] * 2,)


def bare(module, grad_input, grad_output):
    return grad_input[0] * 2


def two(module, grad_input, grad_output):
    return grad_input[0], grad_input[0]


def grad_out(module, grad_input, grad_output):
    return grad_output


def none_inside(module, grad_input, grad_output):
    return (None,)


for hook, n in ((double, 1), (bare, 1), (bare, 3), (two, 1), (grad_out, 1), (none_inside, 1)):
    net = nn.Linear(2, 4)
    nn.init.ones_(net.weight)
    net.register_full_backward_hook(hook)
    x = torch.ones(n, 2, requires_grad=True)
    try:
        net(x).sum().backward()
        print(f"{hook.__name__}, x.grad:", x.grad)
    except RuntimeError as error:
        print(f"{hook.__name__}, batch of {n}:", error)
