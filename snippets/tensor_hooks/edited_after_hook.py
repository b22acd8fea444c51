import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
z = 3 * x
z.register_hook(lambda grad: print("registered before mul_:", grad))
z.retain_grad()

z.mul_(10)
z.register_hook(lambda grad: print("registered after mul_:", grad))
z.sum().backward()
print("z.grad:", z.grad)
print("x.grad:", x.grad)
