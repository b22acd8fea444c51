import torch

x = torch.tensor([1.0, 2.0, 3.0, 4.0], requires_grad=True)
w = torch.tensor([1.0, 2.0, 3.0, 4.0], requires_grad=True)
z = x + 2
o = w @ z

(z_grad,) = torch.autograd.grad(o, z)
print("gradient of o at z:", z_grad)
print("x.grad:", x.grad)
