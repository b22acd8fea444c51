import torch

x = torch.zeros(2, requires_grad=True)
for name, length in [
    ("x.norm()", lambda: x.norm()),
    ("(x**2).sum().sqrt()", lambda: (x**2).sum().sqrt()),
    ("((x**2).sum() + 1e-12).sqrt()", lambda: ((x**2).sum() + 1e-12).sqrt()),
]:
    x.grad = None
    length().backward()
    print(f"{name}, x.grad:", x.grad)
