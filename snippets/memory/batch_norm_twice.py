import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

x = torch.tensor([[1.0], [3.0]])


def show(norm, y):
    (y[0] ** 2).sum().backward()
    print("  weight.grad:", norm.weight.grad)
    print("  running_mean:", norm.running_mean)
    print("  num_batches_tracked:", norm.num_batches_tracked)


print("plain, momentum 0.75:")
norm = nn.BatchNorm1d(1, momentum=0.75)
show(norm, norm(x))

for momentum in (0.75, 0.5):
    print(f"checkpointed, momentum {momentum}:")
    norm = nn.BatchNorm1d(1, momentum=momentum)
    show(norm, checkpoint(norm, x, use_reentrant=False))
