import torch


def power(w, n):
    return w if n == 1 else w * power(w, n - 1)


w = torch.tensor(2.0, requires_grad=True)
y = power(w, 4)
y.backward()
print("y:", y.item())
print("w.grad:", w.grad.item())
