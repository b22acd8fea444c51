import torch

w = torch.tensor(2.0, requires_grad=True)
miss = w - 5
loss = miss**2

loss.backward()
print("loss:", loss.item())
print("w.grad:", w.grad.item())
