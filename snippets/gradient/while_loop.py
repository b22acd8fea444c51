import torch

w = torch.tensor(3.0, requires_grad=True)
y = w
while y < 10:
    y = 2 * y
y.backward()

print("y:", y.item())
print("w.grad:", w.grad.item())
