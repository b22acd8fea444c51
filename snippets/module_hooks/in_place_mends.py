import torch
from torch import nn


def full_hook(module, grad_input, grad_output):
    print("  seen:", grad_output[0])


def forward_hook(module, args, output):
    output.register_hook(lambda grad: print("  seen:", grad))


class Clone(nn.Module):
    def forward(self, x):
        return x.clone()


def run(label, register, hook, *after):
    print(label)
    fc = nn.Linear(1, 2, bias=False)
    fc.weight = nn.Parameter(torch.tensor([[3.0], [-3.0]]))
    getattr(fc, register)(hook)
    x = torch.tensor([[2.0]], requires_grad=True)
    (5 * nn.Sequential(fc, *after)(x)).sum().backward()
    print("  weight.grad:", fc.weight.grad.flatten())


run("ReLU()", "register_full_backward_hook", full_hook, nn.ReLU())
run("clone", "register_full_backward_hook", full_hook, Clone(), nn.ReLU(inplace=True))
run("tensor hook", "register_forward_hook", forward_hook, nn.ReLU(inplace=True))
