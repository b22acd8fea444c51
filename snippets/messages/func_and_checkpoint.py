import torch
from torch.autograd.graph import save_on_cpu
from torch.utils.checkpoint import checkpoint

x = torch.tensor(3.0, requires_grad=True)


def square(x):
    return checkpoint(lambda x: x**2, x, use_reentrant=False)


try:
    torch.func.grad(square)(x)
except RuntimeError as error:
    print("checkpoint:", error)
try:
    with save_on_cpu():
        torch.func.grad(lambda x: x**2)(x)
except RuntimeError as error:
    print("save_on_cpu:", error)

print("without the checkpoint:", torch.func.grad(lambda x: x**2)(x).item())
print("torch.autograd.grad:", torch.autograd.grad(square(x), x)[0].item())
