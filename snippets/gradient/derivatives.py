import math

import torch

x = 2.0
rules = {
    "3 * x": (lambda x: 3 * x, 3),
    "x**2": (lambda x: x**2, 2 * x),
    "x**3": (lambda x: x**3, 3 * x**2),
    "1 / x": (lambda x: 1 / x, -1 / x**2),
    "sqrt(x)": (torch.sqrt, 1 / (2 * math.sqrt(x))),
    "exp(x)": (torch.exp, math.exp(x)),
    "log(x)": (torch.log, 1 / x),
    "tanh(x)": (torch.tanh, 1 - math.tanh(x) ** 2),
}
for name, (f, by_rule) in rules.items():
    at = torch.tensor(x, requires_grad=True)
    f(at).backward()
    print(f"{name:8} rule {by_rule:.4f}, PyTorch {at.grad.item():.4f}")
