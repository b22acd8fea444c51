import torch

x = torch.tensor([0.0, 1.0, 2.0, 3.0], requires_grad=True)
y = torch.tensor([4.0, 5.0, 6.0, 7.0], requires_grad=True)
w = torch.tensor([1.0, 2.0, 3.0, 4.0], requires_grad=True)
z = x + y
o = w @ z

z.retain_grad()
o.retain_grad()
z.register_hook(lambda grad: print("hook on z:", grad))
o.backward()
print("z.grad:", z.grad)
print("o.grad:", o.grad)
