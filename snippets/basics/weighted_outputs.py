import torch

x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
v = torch.tensor([1.0, 10.0, 100.0])
y = x**2

y.backward(v)
print("y:", y.detach())
print("x.grad:", x.grad)
