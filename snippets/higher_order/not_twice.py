import torch
from torch.nn import functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel


def attention(x):
    return F.scaled_dot_product_attention(x, x, x)


def plain_attention(x):
    with sdpa_kernel(SDPBackend.MATH):
        return attention(x)


def distance(x):
    return torch.cdist(x, x + 1)


def plain_distance(x):
    return (x[..., None, :] - x[..., None, :, :] - 1).norm(dim=-1)


torch.manual_seed(0)
x = torch.rand(1, 1, 3, 4, requires_grad=True)
for f in (attention, plain_attention, distance, plain_distance):
    (g,) = torch.autograd.grad(f(x).sum(), x, create_graph=True)
    print(f"{f.__name__}: second derivative:", end=" ")
    try:
        torch.autograd.grad(g.square().sum(), x)
        print("yes")
    except RuntimeError as error:
        print(f"{type(error).__name__}:")
        print(" ", error)
