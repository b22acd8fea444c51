import copy

import torch
from torch import nn

x = torch.tensor([1.0, 2.0, 3.0])
first = nn.Sequential(nn.Tanh(), nn.Dropout(0.5), nn.Sigmoid()).eval()
second = copy.deepcopy(first).train()
try:
    torch.testing.assert_close(second(x), first(x))
except AssertionError as error:
    print("the whole:", " ".join(str(error).split()).split(" Greatest")[0])
a, b = x, x
for layer, other in zip(first, second, strict=True):
    a, b = layer(a), other(b)
    print(f"{type(layer).__name__}, close:", torch.allclose(a, b))

torch.testing.assert_close(second.eval()(x), first(x))
print("both in eval(), close:", torch.allclose(second(x), first(x)))
