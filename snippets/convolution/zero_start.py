import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(3, 4)
nn.init.zeros_(model.weight)
nn.init.zeros_(model.bias)
labels = torch.tensor([0, 0, 0, 1, 2, 3, 3, 2])
logits = model(torch.randn(8, 3))

predicted = logits.argmax(dim=1)
print("predicted:", predicted)
print("accuracy:", (predicted == labels).float().mean().item())
