import torch
from torch import nn
from torch.nn.modules.module import (
    register_module_forward_hook,
    register_module_full_backward_hook,
)


def say(text):
    return lambda module, *args: print(" ", text, type(module).__name__)


net = nn.Sequential(nn.Linear(1, 1))
net[0].register_forward_hook(say("own forward hook:"))
net[0].register_forward_hook(say("own, prepend:"), prepend=True)
net[0].register_full_backward_hook(say("own backward hook:"))
handles = [
    register_module_forward_hook(say("global forward hook:")),
    register_module_full_backward_hook(say("global backward hook:")),
]
x = torch.ones(1, 1, requires_grad=True)
for state in ("registered", "removed"):
    print("global hooks", state)
    net(x).backward()
    for handle in handles:
        handle.remove()
