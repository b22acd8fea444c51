import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

embed = nn.Linear(1, 1, bias=False).requires_grad_(False)
norm = nn.BatchNorm1d(1, momentum=0.5, eps=1e-12)
adapter = nn.Linear(1, 1, bias=False)
head = nn.Linear(1, 1, bias=False)
nn.init.constant_(embed.weight, 2.0)
nn.init.constant_(adapter.weight, 1.0)
nn.init.constant_(head.weight, 3.0)


def block(h):
    return adapter(h)


def model(x):
    h = norm(embed(x))
    h = checkpoint(block, h, use_reentrant=False)
    return head(h)


x = torch.tensor([[1.0], [3.0]])
(model(x) ** 2).mean().backward()
print("head, gradient:", head.weight.grad)
print("adapter, gradient:", adapter.weight.grad)
print("running_mean:", norm.running_mean)

norm.eval()
losses = []
with torch.no_grad():
    for _ in range(2):
        losses.append((model(x) ** 2).mean().item())
print(f"losses[0]: {losses[0]:.2f}")
