import torch
from torch import nn

torch.manual_seed(0)
x = torch.tensor([[1.0], [3.0]])

for name, training, mode in [
    ("train()", True, torch.enable_grad),
    ("eval()", False, torch.enable_grad),
    ("train() and no_grad()", True, torch.no_grad),
    ("eval() and no_grad()", False, torch.no_grad),
]:
    norm = nn.BatchNorm1d(1, momentum=0.5).train(training)
    dropout = nn.Dropout(0.5).train(training)
    with mode():
        normalized = norm(x)
        y = dropout(normalized)
    print(name)
    print("  y.requires_grad:", y.requires_grad)
    print("  dropout is at work:", not torch.equal(y, normalized))
    print("  running_mean:", norm.running_mean.item())
