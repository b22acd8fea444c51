import torch


def by_norm(x):
    return torch.linalg.vector_norm(x)


def by_eps(x):
    return torch.sqrt(x.square().sum() + 2**-20)


for f in (by_norm, by_eps):
    x = torch.zeros(2, requires_grad=True)
    (grad,) = torch.autograd.grad(f(x), x, create_graph=True)
    print(f"{f.__name__}, gradient:", grad.detach())
    (again,) = torch.autograd.grad(grad.sum(), x)
    print("  again:", again)
