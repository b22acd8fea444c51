import warnings

import torch

w = torch.tensor(1.0, requires_grad=True)
((2 * w) ** 2).backward()
print("first step, w.grad:", w.grad)
try:
    w -= 0.125 * w.grad
except RuntimeError as error:
    print("RuntimeError:", error)

w = w - 0.0625 * w.grad
print("w:", w.item(), " w.is_leaf:", w.is_leaf)
((2 * w) ** 2).backward()
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    print("second step, w.grad:", w.grad)
print("UserWarning:", str(caught[0].message).split(". ")[0])
