import torch

w = torch.tensor(3.0, requires_grad=True)
b = torch.tensor(2.0, requires_grad=True)
loss = (2 * w + b - 11) ** 2

loss.backward()
print("loss:", loss.item())
print("w.grad:", w.grad.item())
print("b.grad:", b.grad.item())
