import torch

w = torch.tensor(1.0, requires_grad=True)
loss = (2 * w - 3) ** 2

loss.backward()
print("loss:", loss.item())
print("w.grad:", w.grad)
