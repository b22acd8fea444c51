import torch
from torch.autograd.graph import saved_tensors_hooks

w = torch.tensor([1.0, 2.0], requires_grad=True)


def loss(w):
    with saved_tensors_hooks(lambda tensor: tensor.detach(), lambda packed: packed):
        return (w**3).sum()


print("torch.autograd.grad:", torch.autograd.grad(loss(w), w)[0])
try:
    torch.func.grad(loss)(w)
except RuntimeError as error:
    print("torch.func.grad:", str(error).split(". ")[0])
