import warnings

import torch
from torch import nn


def say(text):
    return lambda *args: print(" ", text)


child = nn.Linear(1, 1)
parent = nn.Sequential(child)
for name, module in (("child", child), ("parent", parent)):
    module.register_forward_pre_hook(say(f"{name}, forward pre-hook"))
    module.register_forward_hook(say(f"{name}, forward hook"))
    module.register_full_backward_pre_hook(say(f"{name}, backward pre-hook"))
    module.register_full_backward_hook(say(f"{name}, backward hook"))

warnings.simplefilter("ignore")
for requires_grad in (True, False):
    print("x.requires_grad:", requires_grad)
    parent(torch.ones(1, 1, requires_grad=requires_grad)).backward()
