import torch
from torch.func import grad, vmap

x = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
w = torch.tensor([1.0, 2.0], requires_grad=True)
calls = []


def hook(g):
    calls.append(g)


def sample_loss(w, x):
    y = (w * x).sum()
    y.register_hook(hook)
    return y**2


rows = vmap(grad(sample_loss), in_dims=(None, 0))(w.detach(), x)
print("vmap(grad):", rows.tolist())
print("calls of the tensor hook:", len(calls))

losses = (x @ w) ** 2
(rows,) = torch.autograd.grad(losses, w, torch.eye(3), is_grads_batched=True)
print("is_grads_batched:", rows.tolist())
