import torch
from torch.nn.functional import cross_entropy

labels = torch.tensor([-100, -100, -100])
for reduction in ("mean", "sum"):
    bias = torch.zeros(2, requires_grad=True)
    loss = cross_entropy(bias.expand(3, 2), labels, reduction=reduction)
    loss.backward()
    print(f"{reduction}: loss {loss.item()}, gradient {bias.grad.tolist()}")
