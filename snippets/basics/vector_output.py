import torch

x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = x**2

try:
    y.backward()
except RuntimeError as error:
    print("RuntimeError:", error)

y.backward(torch.tensor([1.0, 1.0, 1.0]))
print("weights 1, 1, 1, x.grad:", x.grad)

x.grad = None
(x**2).sum().backward()
print("sum first, x.grad:", x.grad)
