import torch

w = torch.tensor(3.0, requires_grad=True)
b = torch.tensor(2.0, requires_grad=True)
long_ride = (2 * w + b - 11) ** 2
short_ride = (0.5 * w + b - 3.5) ** 2
loss = long_ride + short_ride

loss.backward()
print("loss:", loss.item())
print("w.grad:", w.grad.item())
print("b.grad:", b.grad.item())
