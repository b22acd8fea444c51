import torch
from torch.nn import functional as F


def by_log(score, target):
    p = torch.sigmoid(score)
    return -target * torch.log(p) - (1 - target) * torch.log(1 - p)


def by_probability(score, target):
    return F.binary_cross_entropy(torch.sigmoid(score), target)


def with_logits(score, target):
    return F.binary_cross_entropy_with_logits(score, target)


target = torch.tensor(1.0)
print(f"p: {torch.tensor(-60.0).sigmoid().item():.3e}")
for f in (by_log, by_probability, with_logits):
    score = torch.tensor(-60.0, requires_grad=True)
    loss = f(score, target)
    loss.backward()
    print(f"{f.__name__}, loss: {loss.item():.4f}")
    print(f"  score.grad: {score.grad.item():.3e}")
