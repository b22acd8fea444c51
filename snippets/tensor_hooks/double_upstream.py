import torch

x = torch.tensor([0.0, 1.0, 2.0, 3.0], requires_grad=True)
y = torch.tensor([4.0, 5.0, 6.0, 7.0], requires_grad=True)
w = torch.tensor([1.0, 2.0, 3.0, 4.0], requires_grad=True)
z = x + y
o = w @ z

factor = 2.0
z.register_hook(lambda grad: factor * grad)
o.backward()
print("x.grad:", x.grad)
print("y.grad:", y.grad)
print("w.grad:", w.grad)
