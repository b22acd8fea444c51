import warnings

import torch
from torch import nn

warnings.simplefilter("ignore")
x = torch.tensor([[1.0], [2.0], [3.0]])
target = torch.tensor([1.0, 2.0, 3.0])


def train(target):
    w = torch.tensor(1.0, requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=0.1)
    for _ in range(20):
        optimizer.zero_grad()
        nn.functional.mse_loss(w * x, target).backward()
        optimizer.step()
    return w.item()


print(f"shapes (3, 1) and (3,), w: {train(target):.4f}")
print(f"shapes (3, 1) and (3, 1), w: {train(target[:, None]):.4f}")
