import warnings

import torch
from torch import nn


class Of(nn.Module):
    def __init__(self, formula):
        super().__init__()
        self.formula = formula

    def forward(self, x):
        return self.formula(x)


def check(label, formula, x):
    module = Of(formula)
    module.register_backward_hook(lambda _, grad_input, __: seen.append(grad_input))
    seen = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        module(x).backward(retain_graph=True)
    print(f"{label}, warned: {bool(caught)}, grad_input: {seen[0]}")


leaf = torch.tensor(3.0, requires_grad=True)
made = leaf + 0
check("relu(leaf)", torch.relu, leaf)
check("relu(made)", torch.relu, made)
check("made * made", lambda x: x * x, made)
