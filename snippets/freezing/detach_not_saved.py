import torch

w = torch.tensor([2.0], requires_grad=True)
y = w * 3
y.detach().mul_(10)
loss = y.sum()
print("loss:", loss.item())

loss.backward()
print("w.grad:", w.grad)
