import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
z = 3 * x
z.register_hook(lambda grad: print("registered on the old z:", grad))
z.retain_grad()

z = z * 10
z.sum().backward()
print("new z retains_grad:", z.retains_grad)
print("x.grad:", x.grad)
