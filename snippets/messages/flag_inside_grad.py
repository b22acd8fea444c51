import torch
from torch.func import grad


def flagged(x):
    x.requires_grad_()
    return x**2


x = torch.tensor(3.0)
try:
    grad(flagged)(x)
except RuntimeError as error:
    print("flagged:", str(error).split(". ")[0])

print("no flag:", grad(lambda x: x**2)(x))
print("second argument:", grad(lambda x, y: x * y**2, argnums=1)(x, torch.tensor(5.0)))
