import torch
from torch.autograd import gradcheck


def says(function, value):
    w = torch.tensor([value], dtype=torch.float64)
    w.requires_grad_()
    answer = gradcheck(function, w, raise_exception=False)
    (slope,) = torch.autograd.grad(function(w), w)
    eps = 2.0**-20
    numerical = (function(w + eps) - function(w - eps)) / (2 * eps)
    print("  numerical:", round(numerical.item(), 4))
    print("  backward:", slope.item())
    print("  gradcheck:", answer)


print("relu at 0.0")
says(torch.relu, 0.0)
print("abs at 0.0")
says(torch.abs, 0.0)
print("relu at 0.3")
says(torch.relu, 0.3)
