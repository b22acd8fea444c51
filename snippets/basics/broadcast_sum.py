import torch

x = torch.ones(3, 2)
b = torch.tensor([5.0, 7.0], requires_grad=True)
c = torch.tensor(2.0, requires_grad=True)
y = x * c + b

v = torch.tensor([[1.0, 10.0], [2.0, 20.0], [3.0, 30.0]])
y.backward(v)
print("rows of v added up:", v.sum(dim=0))
print("all of v added up:", v.sum())
print("b.grad:", b.grad)
print("c.grad:", c.grad)
