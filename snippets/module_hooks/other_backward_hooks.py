import warnings

import torch
from torch import nn

warnings.simplefilter("ignore")


def raised(register, hook, requires_grad):
    net = nn.Linear(2, 2)
    getattr(net, register)(hook)
    try:
        net(torch.ones(1, 2, requires_grad=requires_grad)).sum().backward()
    except RuntimeError as error:
        print(f"{register}:\n  {error}")


def double(module, grad_input, grad_output):
    return (grad_output[0] * 2,)


def one_too_many(module, grad_output):
    return grad_output[0], grad_output[0]


raised("register_full_backward_hook", double, requires_grad=False)
raised("register_full_backward_pre_hook", one_too_many, requires_grad=True)
raised("register_backward_hook", double, requires_grad=True)
