import torch

w = torch.tensor(1.0, requires_grad=True)
y = 2 * w - 1

print("before backward, w.grad:", w.grad)
y.backward()
print("after backward, w.grad:", w.grad)
