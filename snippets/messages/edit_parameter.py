import torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
try:
    w += 1
except RuntimeError as error:
    print("recorded:", error)

with torch.no_grad():
    w += 1
print("under no_grad, w:", w.tolist())
(w**2).sum().backward()
print("w.grad:", w.grad)
