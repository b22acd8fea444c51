import torch

w = torch.tensor(9.0, requires_grad=True)
loss = (w - 5) ** 2

loss.backward()
print("w.grad:", w.grad.item())
print("loss:", loss.item())
