import torch
from torch.nn import functional as F


def by_acos(a, b):
    return torch.acos(F.cosine_similarity(a, b, dim=0))


def by_clamped_acos(a, b):
    cosine = F.cosine_similarity(a, b, dim=0)
    return torch.acos(cosine.clamp(-1 + 1e-4, 1 - 1e-4))


def by_atan2(a, b):
    cross = a[0] * b[1] - a[1] * b[0]
    return torch.atan2(cross, a @ b)


a = torch.tensor([1.0, 0.0])
for f in (by_acos, by_clamped_acos, by_atan2):
    b = torch.tensor([2.0, 0.0], requires_grad=True)
    angle = f(a, b)
    angle.backward()
    print(f"{f.__name__}: {angle.item():.4f}")
    print("  b.grad:", b.grad.tolist())
