import torch

w = torch.tensor(3.0, requires_grad=True)
short = (w - 7) ** 2
long = (2 * w - 9) ** 2
loss = short + long

loss.backward()
print("short:", short.item())
print("long:", long.item())
print("loss:", loss.item())
print("w.grad:", w.grad.item())
