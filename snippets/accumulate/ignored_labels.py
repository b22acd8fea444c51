import torch
from torch import nn

x = torch.tensor([1.0, 2.0, 3.0, 4.0])
labels = torch.tensor([0, 1, 1, -100])
parts = (slice(0, 2), slice(2, 4))


def gradient(batches, weights):
    w = torch.zeros(2, requires_grad=True)
    for part, weight in zip(batches, weights, strict=True):
        scores = x[part, None] * w
        (nn.functional.cross_entropy(scores, labels[part]) * weight).backward()
    return w.grad


print("one batch of 4, w.grad:", gradient([slice(0, 4)], [1]))
print("weighted by samples, w.grad:", gradient(parts, [2 / 4, 2 / 4]))
print("weighted by labels that count, w.grad:", gradient(parts, [2 / 3, 1 / 3]))
