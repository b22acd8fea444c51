import torch


def by_cdist(x):
    return torch.cdist(x, torch.zeros(1, 2)).sum()


def by_norm(x):
    return (x[:, None] - torch.zeros(1, 2)).norm(dim=-1).sum()


x = torch.tensor([[3.0, 4.0]], requires_grad=True)
for distance in (by_cdist, by_norm):
    (slope,) = torch.autograd.grad(distance(x), x, create_graph=True)
    try:
        (second,) = torch.autograd.grad(slope[0, 0], x)
        print(f"{distance.__name__}:", second)
    except NotImplementedError as error:
        print(f"{distance.__name__}:", error)
