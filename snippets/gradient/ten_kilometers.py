import torch

w = torch.tensor(3.0, requires_grad=True)
b = torch.tensor(2.0, requires_grad=True)
guess = 10 * w + b
miss = guess - 35
loss = miss**2

loss.backward()
print("miss:", miss.item())
print("w.grad:", w.grad.item())
print("b.grad:", b.grad.item())
