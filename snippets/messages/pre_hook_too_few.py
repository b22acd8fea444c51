import torch
from torch import nn


class Add(nn.Module):
    def forward(self, a, b, c):
        return a + b + c


add = Add()
numbers = torch.tensor([2.0, 3.0, 4.0])
handle = add.register_forward_pre_hook(lambda module, args: (args[0] + 10, args[1]))
try:
    add(*numbers)
except TypeError as error:
    print("two of three:", error)

handle.remove()
add.register_forward_pre_hook(lambda module, args: (args[0] + 10, *args[1:]))
print("three of three:", add(*numbers))
