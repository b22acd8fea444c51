import warnings

import torch
from torch import nn

warnings.simplefilter("ignore")
features = []


def keep(module, args, output):
    features.append(output.detach())
    return output.detach()


def log(module, grad_input, grad_output):
    print("  in the hook, fc2.weight.grad:", module.weight.grad)


fc1 = nn.Linear(1, 1, bias=False)
fc2 = nn.Linear(1, 1, bias=False)
nn.init.constant_(fc1.weight, 3.0)
nn.init.constant_(fc2.weight, 5.0)
x = torch.tensor([[2.0]])
for batch in (1, 2):
    print("batch", batch)
    fc1.register_forward_hook(keep)
    fc2.register_full_backward_hook(log)
    loss = fc2(fc1(x)).sum()
    loss.backward()
    print("  features kept:", len(features))
    print("  fc1.weight.grad:", fc1.weight.grad)
