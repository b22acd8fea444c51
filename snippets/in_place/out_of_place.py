import torch

w = torch.tensor([0.0, 1.0, 2.0], requires_grad=True)
h = 2 * w
h += 1
y = h**2
h = h - 1
loss = y.sum() + h.sum()

loss.backward()
print("h:", h.detach())
print("version of the new h:", h._version)
print("w.grad:", w.grad)
