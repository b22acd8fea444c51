import torch

w = torch.tensor(3.0, requires_grad=True)
y = w
while y < 100:
    y = 2 * y
    print("y:", y.item())
y.backward()
print("w.grad:", w.grad.item())
