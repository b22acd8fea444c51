import torch

w = torch.tensor(4.0, requires_grad=True)
x = w * 1
root = x.sqrt()
x += 5
loss = root + x

loss.backward()
print("root:", root.item())
print("x:", x.item())
print("w.grad:", w.grad)
