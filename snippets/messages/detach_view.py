import torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
h = 3 * w
first = h[0]
try:
    first.detach_()
except RuntimeError as error:
    print("detach_():", error)

first = first.detach()
(first * h[1]).backward()
print("detach(), w.grad:", w.grad)
