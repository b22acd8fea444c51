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

p = torch.ones(2, 2, requires_grad=True)
optimizer = torch.optim.SGD([p], lr=0.1)
scale = torch.ones(4, requires_grad=True)
p.grad = (2 * scale).view(2, 2)
try:
    optimizer.zero_grad(set_to_none=False)
except RuntimeError as error:
    print("zero_grad:", str(error).split(". If")[0])

p.grad = (2 * scale).view(2, 2).detach()
optimizer.zero_grad(set_to_none=False)
print("zero_grad, p.grad:", p.grad)
