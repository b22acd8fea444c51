import warnings

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

warnings.simplefilter("ignore")
embed = nn.Linear(1, 1, bias=False).requires_grad_(False)
norm = nn.BatchNorm1d(1, momentum=0.5, eps=1e-12)
adapter = nn.Linear(1, 1, bias=False)
head = nn.Linear(1, 1, bias=False)
nn.init.constant_(embed.weight, 2.0)
nn.init.constant_(adapter.weight, 1.0)
nn.init.constant_(head.weight, 3.0)


def block(h):
    return adapter(norm(h))


def model(x):
    h = checkpoint(block, embed(x), use_reentrant=True)
    return head(h)


x = torch.tensor([[1.0], [3.0]])
(model(x) ** 2).mean().backward()
print("head, gradient:", head.weight.grad)
print("adapter, gradient:", adapter.weight.grad)
print("running_mean:", norm.running_mean)

norm.eval()
losses = []
for _ in range(2):
    losses.append((model(x) ** 2).mean())
print("losses[0].grad_fn:", type(losses[0].grad_fn).__name__)
