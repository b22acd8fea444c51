import torch


def rebuilt(a):
    u, s, vh = torch.linalg.svd(a)
    return ((u * s) @ vh).square().sum()


def values_alone(a):
    return torch.linalg.svdvals(a).square().sum()


for name, diagonal in (("different", [3.0, 2.0]), ("equal", [2.0, 2.0])):
    for loss in (rebuilt, values_alone):
        a = torch.diag(torch.tensor(diagonal)).requires_grad_()
        y = loss(a)
        y.backward()
        print(f"{name}, {loss.__name__}: loss {y.item():.4g}")
        print("  gradient", [round(g, 3) for g in a.grad.flatten().tolist()])
