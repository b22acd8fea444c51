import torch
from torch import nn


def finite(tensors):
    return all(tensor.isfinite().all().item() for tensor in tensors)


def look(module, args, output):
    print("  input:", finite(args))
    print("  weights:", finite(module.parameters()))
    print("  output:", finite([output]))


def linear(weight):
    layer = nn.Linear(2, 1, bias=False)
    nn.init.constant_(layer.weight, weight)
    layer.register_forward_hook(look)
    return layer


nan = float("nan")
print("a picture with a nan:")
linear(1.0)(torch.tensor([[1.0, nan]]))
print("weights after a bad step:")
linear(nan)(torch.tensor([[1.0, 2.0]]))
print("the product is too large:")
too_large = linear(3e38)(torch.tensor([[1.0, 2.0]]))
