import torch

hidden = torch.tensor([[False, True], [True, True]])
mask = torch.zeros(2, 2).masked_fill(hidden, float("-inf"))


def added(scores):
    return scores + mask


def filled(scores):
    return scores.masked_fill(hidden, float("-inf"))


for f in (added, filled):
    scores = torch.zeros(2, 2, requires_grad=True)
    weights = torch.softmax(f(scores), dim=1)
    weights.sum().backward()
    print(f"{f.__name__}, scores.grad:", scores.grad.tolist())
