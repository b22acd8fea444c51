import torch

x = torch.tensor([3.0, 4.0], requires_grad=True)
y = 2 * x
z = y.mean()

y.register_hook(lambda grad: print("hook on y:", grad))
z.backward()
print("x.grad:", x.grad)
