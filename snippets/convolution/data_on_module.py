import torch
from torch import nn

sobel = torch.tensor([[-1.0, 0.0, 1.0], [-2.0, 0.0, 2.0], [-1.0, 0.0, 1.0]])
wanted = sobel.view(1, 1, 3, 3)
conv = nn.Conv2d(1, 1, 3, bias=False)
before = conv.weight.detach().clone()

conv.data = wanted
print("the module has an attribute data:", hasattr(conv, "data"))
print("its weight has changed:", not conv.weight.equal(before))
print("its state_dict holds:", list(conv.state_dict()))

with torch.no_grad():
    conv.weight.copy_(wanted)
print("after copy_, weight:")
print(conv.weight.detach()[0, 0])
