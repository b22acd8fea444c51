import torch
from torch import nn

torch.manual_seed(0)
conv = nn.Conv2d(1, 4, 1, bias=False)
before = conv.weight.detach().clone()
wanted = torch.tensor([0.25, 0.25, 1.25, 0.25]).view(4, 1, 1, 1)

conv.data = wanted
print("the module has an attribute data:", "data" in vars(conv))
print("its weight has changed:", not conv.weight.equal(before))
print("its state_dict holds:", list(conv.state_dict()))

with torch.no_grad():
    conv.weight.copy_(wanted)
print("after copy_, weight:", conv.weight.detach().flatten())
