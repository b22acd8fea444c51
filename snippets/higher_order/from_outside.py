import torch
from torch.func import grad

scale = torch.tensor(5.0, requires_grad=True)


def f(w):
    return scale * w**2


w = torch.tensor(3.0)
gradient = grad(f)(w)
print("gradient:", gradient.item())
print("requires_grad:", gradient.requires_grad)
gradient.backward()
print("scale.grad:", scale.grad.item())
