import torch
from torch.nn.utils import clip_grad_norm_

a = torch.tensor(0.0, requires_grad=True)
b = torch.tensor(0.0, requires_grad=True)
optimizer = torch.optim.SGD([a, b], lr=1)

loss = 3 * a + 4 * b
loss.backward()
print(f"before clipping, a.grad: {a.grad.item()}", end=" ")
print(f"b.grad: {b.grad.item()}")
clip_grad_norm_([a, b], max_norm=1.0)
print(f"after clipping, a.grad: {a.grad.item():.4f}", end=" ")
print(f"b.grad: {b.grad.item():.4f}")
optimizer.step()
print(f"after step, a: {a.item():.4f} b: {b.item():.4f}")
