import torch
from torch.func import grad, jacfwd


def clipped(x):
    y = 3 * x
    y.register_hook(lambda g: g.clamp(max=1.0))
    return y**2


x = torch.tensor(2.0)
print("grad:", grad(clipped)(x).item())
try:
    jacfwd(clipped)(x)
except RuntimeError as error:
    print("jacfwd:", error)
