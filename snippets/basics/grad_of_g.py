import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
y = (x**3).sum()
(g,) = torch.autograd.grad(y, x, create_graph=True)

try:
    torch.autograd.grad(y, g)
except RuntimeError as error:
    print("grad(y, g):")
    print(" ", str(error).split(". ")[0])
(nothing,) = torch.autograd.grad(y, g, allow_unused=True)
print("grad(y, g), allow_unused:", nothing)

(second,) = torch.autograd.grad(g.sum(), x)
print("grad(g.sum(), x):", second)
