import torch
from torch.func import grad, vmap
from torch.utils.checkpoint import checkpoint

w = torch.tensor([1.0, 2.0], requires_grad=True)
x = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])


def loss(w, x):
    return (x @ w).square()


def light(w, x):
    return checkpoint(loss, w, x, use_reentrant=False)


print("vmap(grad(loss)):", vmap(grad(loss), in_dims=(None, 0))(w.detach(), x).tolist())
try:
    vmap(grad(light), in_dims=(None, 0))(w, x)
except RuntimeError as error:
    print("checkpoint:", str(error).split(". ")[0])

losses = light(w, x)
(rows,) = torch.autograd.grad(losses, w, torch.eye(3), is_grads_batched=True)
print("is_grads_batched:", rows.tolist())
