import torch

x = torch.ones(1000, requires_grad=True)

z = 2 * x
z.retain_grad()
z.sum().backward()
print("retain_grad keeps:", z.grad.numel())

norms = []
z = 4 * x
z.register_hook(lambda grad: norms.append(grad.norm().item()))
(z**2).sum().backward()
print("hook keeps:", len(norms))
print("norm:", round(norms[0], 2))

grads = []
z = 2 * x
z.register_hook(grads.append)
z.sum().backward()
del z
print("list still holds:", sum(grad.numel() for grad in grads))
