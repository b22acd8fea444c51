import torch
from torch import nn

norm = nn.BatchNorm1d(1, momentum=0.5)
validation = torch.tensor([[7.0], [9.0]])


@torch.no_grad()
def prediction():
    norm.eval()
    y = norm(torch.tensor([[1.0]])).item()
    norm.train()
    return round(y, 4)


print("before, mean:", norm.running_mean.item(), "prediction:", prediction())
with torch.no_grad():
    norm(validation)
print("after, mean:", norm.running_mean.item(), "prediction:", prediction())
