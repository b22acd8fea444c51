import warnings

import torch
from torch import nn

w = torch.tensor(1.0, requires_grad=True)
x = torch.tensor([[1.0], [2.0], [3.0]])
target = torch.tensor([1.0, 2.0, 3.0])

with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    loss = nn.functional.mse_loss(w * x, target)
loss.backward()
print("UserWarning:", str(caught[0].message).split(". ")[0])
print("w * x - target:")
print((w * x - target).detach())
print(f"loss: {loss.item():.4f}")
print(f"w.grad: {w.grad:.4f}")

w.grad = None
loss = nn.functional.mse_loss((w * x).squeeze(1), target)
loss.backward()
print(f"same shapes, loss: {loss.item():.4f}")
print(f"same shapes, w.grad: {w.grad:.4f}")
