import torch
from torch.func import grad, vmap

w = torch.tensor([3.0, 4.0], requires_grad=True)
x = torch.tensor([[1.0, 0.0], [1.0, 2.0], [1.0, 1.0], [1.0, 1.0]])
x.requires_grad_()

y = x @ w
(g,) = torch.autograd.grad(y.sum(), x, create_graph=True)
penalty = ((g.norm(dim=1) - 1) ** 2).mean()
loss = y.mean() + penalty
loss.backward()
print("penalty:", penalty.item())
print("w.grad:", w.grad)


def critic(x, w):
    return x @ w


each = vmap(grad(critic), in_dims=(0, None))(x.detach(), w.detach())
print("norms, by vmap(grad):", each.norm(dim=1))
