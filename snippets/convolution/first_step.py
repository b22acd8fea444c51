import torch
import torch.nn.functional as F
from torch import nn

conv = nn.Conv2d(1, 4, 1, bias=False)
nn.init.ones_(conv.weight)
optimizer = torch.optim.SGD(conv.parameters(), lr=0.01, momentum=0.9)

logits = conv(torch.ones(1, 1, 5, 5)).mean(dim=(2, 3))
change = torch.tensor([[0.0, 0.0, 2.0, 0.0]])
logits.register_hook(lambda grad: grad + change)
F.cross_entropy(logits, torch.tensor([2])).backward()
optimizer.step()

print("weight.grad:", conv.weight.grad.flatten())
print("weight:", conv.weight.detach().flatten())
