import torch
from torch import nn
from torch.nn.modules.module import register_module_forward_hook


def say(text):
    return lambda module, args, output: print(" ", text, type(module).__name__)


net = nn.Sequential(nn.Linear(1, 1))
net[0].register_forward_hook(say("own hook:"))
net[0].register_forward_hook(say("own hook, prepend:"), prepend=True)
handle = register_module_forward_hook(say("global hook:"))

print("global hook registered:")
net(torch.ones(1, 1))
handle.remove()
print("global hook removed:")
net(torch.ones(1, 1))
