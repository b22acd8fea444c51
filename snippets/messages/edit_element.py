import torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
try:
    w[0] = 5.0
except RuntimeError as error:
    print("recorded:", error)

with torch.no_grad():
    w[0] = 5.0
print("under no_grad, w:", w.tolist())
parts = torch.cat([torch.tensor([7.0]), w[1:]])
(parts**2).sum().backward()
print("from parts, w.grad:", w.grad)
