import torch

lr = 0.125
w = torch.tensor(-1.0, requires_grad=True)
loss = 4 * (w - 3) ** 2
loss.backward()
with torch.no_grad():
    w -= lr * w.grad
print("slope:", w.grad.item())
print("after one step, w:", w.item())
