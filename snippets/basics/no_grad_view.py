import torch

w = torch.tensor([1.0, 2.0], requires_grad=True)

with torch.no_grad():
    first = w[:1]
print("first.requires_grad:", first.requires_grad)
print("first.grad_fn:", first.grad_fn)

(3 * first).sum().backward()
print("w.grad:", w.grad)
