import torch
from torch import nn

x = torch.tensor([1.0, 2.0, 3.0, 4.0])
target = torch.tensor([3.0, 5.0, 7.0, 9.0])
mse = nn.MSELoss()


def moved(make, parts):
    w = torch.tensor(1.0, requires_grad=True)
    optimizer = make([w], lr=0.01)
    for part in parts:
        mse(w * x[part], target[part]).backward()
    optimizer.step()
    return w.item() - 1


for name, make in [("SGD", torch.optim.SGD), ("Adam", torch.optim.Adam)]:
    print(name)
    print(f"  one batch of 4 moves w by {moved(make, [slice(0, 4)]):.4f}")
    halves = moved(make, [slice(0, 2), slice(2, 4)])
    print(f"  two of 2, not divided, move w by {halves:.4f}")
