import torch
from torch.nn.functional import cross_entropy

labels = torch.tensor([[-100, -100, -100, 1], [0, 0, 0, 0]])
logits = torch.zeros(2, 4, 2)
bias = torch.zeros(2, requires_grad=True)


def loss_of(rows, **settings):
    scores = logits[rows] + bias
    return cross_entropy(scores.flatten(0, 1), labels[rows].flatten(), **settings)


def gradient(losses):
    bias.grad = None
    for loss in losses:
        loss.backward()
    return [round(g, 4) + 0.0 for g in bias.grad.tolist()]


rows = [0], [1]
total = (labels != -100).sum()
print("tokens with a label:", total.item())
print("one batch:          ", gradient([loss_of([0, 1])]))
print("mean of the means:  ", gradient([loss_of(row) / 2 for row in rows]))
print("sums over the total:", gradient([loss_of(row, reduction="sum") / total for row in rows]))
