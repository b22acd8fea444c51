import torch

try:
    torch.ones(2, require_grad=True)
except TypeError as error:
    print("require_grad:", str(error).partition(" (")[0])

w = torch.ones(2, requires_grad=True)
(3 * w).sum().backward()
print("requires_grad, w.grad:", w.grad)
