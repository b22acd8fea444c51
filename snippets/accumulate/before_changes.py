import torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
(3 * w).sum().backward()
before = w.grad
copied = w.grad.clone()

(3 * w).sum().backward()
print("w.grad:", w.grad)
print("before:", before)
print("copied:", copied)
print("before is w.grad:", before is w.grad)
