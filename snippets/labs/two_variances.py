import torch
from torch import nn

x = torch.tensor([[1.0], [2.0], [3.0], [6.0]])
norm = nn.BatchNorm1d(1, eps=1e-12, momentum=1.0)
y = norm(x)
print("variance over n:", x.var(unbiased=False))
print("variance over n - 1:", x.var())
print("in the output:", (x.std(unbiased=False) / y.std(unbiased=False)).detach() ** 2)
print("kept for eval:", norm.running_var)
