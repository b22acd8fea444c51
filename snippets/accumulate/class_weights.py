import torch
from torch import nn

x = torch.tensor([1.0, 2.0, 3.0, 4.0])
labels = torch.tensor([0, 1, 1, 1])
class_weights = torch.tensor([5.0, 1.0])
parts = (slice(0, 2), slice(2, 4))


def gradient(batches, shares):
    w = torch.zeros(2, requires_grad=True)
    for part, share in zip(batches, shares, strict=True):
        scores = x[part, None] * w
        loss = nn.functional.cross_entropy(scores, labels[part], weight=class_weights)
        (loss * share).backward()
    return w.grad


print("one batch of 4, w.grad:", gradient([slice(0, 4)], [1]))
print("shares by labels, w.grad:", gradient(parts, [2 / 4, 2 / 4]))
print("shares by weights, w.grad:", gradient(parts, [6 / 8, 2 / 8]))
