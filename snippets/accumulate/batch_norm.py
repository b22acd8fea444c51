import torch
from torch import nn

x = torch.tensor([[1.0], [2.0], [3.0], [8.0]])
target = torch.tensor([[0.0], [0.0], [1.0], [1.0]])
mse = nn.MSELoss()


def gradient(parts):
    norm = nn.BatchNorm1d(1)
    for part in parts:
        (mse(norm(x[part]), target[part]) / len(parts)).backward()
    return norm.weight.grad


for part in (slice(0, 4), slice(0, 2), slice(2, 4)):
    normalized = nn.BatchNorm1d(1)(x[part]).detach().flatten()
    print(f"x[{part.start}:{part.stop}] normalized:", normalized)
print("one batch of 4, weight.grad:", gradient([slice(0, 4)]))
print("two of 2, divided by 2, weight.grad:", gradient([slice(0, 2), slice(2, 4)]))
