import torch
from torch import nn

conv = nn.Conv2d(1, 4, 1, bias=False)
with torch.no_grad():
    conv.weight.copy_(torch.tensor(2.0))
print("copy_ of one number, weight:", conv.weight.detach().flatten())

conv.weight.data = torch.tensor(2.0)
print("weight.data = one number, shape:", list(conv.weight.shape))
try:
    conv(torch.ones(1, 1, 5, 5))
except RuntimeError as error:
    print("RuntimeError:", str(error).partition(",")[0])
