import torch

scale = 1.0
half = torch.float16
x = torch.tensor(0.0001, dtype=half)
w = torch.tensor(1.0, dtype=half, requires_grad=True)

y = w * x
error = y.float()
loss = scale * error**2
loss.backward()

found = w.grad.float() / scale
print(f"loss: {loss.item():.2e}")
print(f"w.grad: {w.grad.item():.2e}")
print(f"w.grad / scale: {found.item():.2e}")
