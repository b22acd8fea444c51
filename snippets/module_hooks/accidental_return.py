import torch
from torch import nn

kept = {}


def clean(module, args, output):
    kept["fc1"] = output.detach()


def careless(module, args, output):
    return kept.setdefault("fc1", output.detach())


for hook in (clean, careless):
    print(f"{hook.__name__}:")
    kept.clear()
    fc1, fc2 = nn.Linear(1, 1, bias=False), nn.Linear(1, 1, bias=False)
    nn.init.constant_(fc1.weight, 2.0)
    nn.init.constant_(fc2.weight, 3.0)
    fc1.register_forward_hook(hook)
    for x in (torch.tensor([1.0]), torch.tensor([10.0])):
        y = fc2(fc1(x))
        y.backward()
        print("  x:", x.item(), " y:", y.item())
    print("  fc1.weight.grad:", fc1.weight.grad)
    print("  fc2.weight.grad:", fc2.weight.grad)
