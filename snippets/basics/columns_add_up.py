import torch

x = torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
b = torch.tensor([1.0, -2.0], requires_grad=True)
y = x + b
y.retain_grad()
loss = (y**2).sum()
loss.backward()
print("y.grad:")
print(y.grad)
print("b.grad:", b.grad)
