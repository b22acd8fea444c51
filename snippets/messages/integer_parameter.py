import torch

try:
    torch.tensor([1, 2], requires_grad=True)
except RuntimeError as error:
    print("integers:", error)

w = torch.tensor([1.0, 2.0], requires_grad=True)
(w**2).sum().backward()
print("decimal points, w.grad:", w.grad)
w = torch.tensor([1, 2]).float().requires_grad_()
(w**2).sum().backward()
print("float(), w.grad:", w.grad)
