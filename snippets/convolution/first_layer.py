import torch
import torch.nn.functional as F
from torch.utils._python_dispatch import TorchDispatchMode


class Watch(TorchDispatchMode):
    def __torch_dispatch__(self, op, types, args=(), kwargs=None):
        out = op(*args, **(kwargs or {}))
        if op is torch.ops.aten.convolution_backward.default:
            print("  asked for (input, weight, bias):", args[-1])
            print("  got nothing for the input:", out[0] is None)
        return out


for wanted in (False, True):
    print("image.requires_grad:", wanted)
    image = torch.ones(1, 1, 5, 5, requires_grad=wanted)
    kernel = torch.ones(1, 1, 3, 3, requires_grad=True)
    y = F.conv2d(image, kernel)
    edges = y.grad_fn.next_functions
    print("  no edge to the image:", edges[0][0] is None)
    with Watch():
        y.sum().backward()
    print("  image.grad is None:", image.grad is None)
