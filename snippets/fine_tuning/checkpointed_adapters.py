import warnings

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

warnings.simplefilter("ignore")
torch.manual_seed(0)
embed = nn.Embedding(10, 4).requires_grad_(False)
W = [torch.randn(4, 4) for _ in range(2)]
A = [torch.randn(1, 4, requires_grad=True) for _ in range(2)]
B = [torch.randn(4, 1, requires_grad=True) for _ in range(2)]


def block(h, i):
    return torch.tanh(h @ W[i].T + h @ A[i].T @ B[i].T)


def train(head, reentrant, input_requires_grad=False):
    for p in A + B:
        p.grad = None
    h = embed(torch.tensor([1, 2, 3]))
    if input_requires_grad:
        h.requires_grad_()
    for i in range(2):
        h = checkpoint(block, h, i, use_reentrant=reentrant)
    try:
        (h @ head).sum().backward()
    except RuntimeError as error:
        return "error: " + str(error)
    return f"{sum(p.grad is not None for p in A + B)} of 4 adapter weights have a gradient"


frozen, trained = torch.ones(4), torch.ones(4, requires_grad=True)
print("True, trained head:", train(trained, True))
print("True, frozen head:", train(frozen, True))
print("True, h.requires_grad_():", train(frozen, True, input_requires_grad=True))
print("False:", train(frozen, False))
