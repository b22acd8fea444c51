import torch


def double(grad):
    return 2 * grad


for first in ("register_hook", "retain_grad"):
    x = torch.tensor([0.0, 1.0, 2.0, 3.0], requires_grad=True)
    w = torch.tensor([1.0, 2.0, 3.0, 4.0])
    z = x + 4
    if first == "register_hook":
        z.register_hook(double)
        z.retain_grad()
    else:
        z.retain_grad()
        z.register_hook(double)
    (w @ z).backward()
    print(f"{first} first, z.grad:", z.grad)
