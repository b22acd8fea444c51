import torch
from torch import nn

pool = nn.AdaptiveAvgPool2d(1)
maps = torch.ones(1, 4, 5, 5, requires_grad=True)


def report(module, grad_input, grad_output):
    print("received:", grad_output[0].flatten())
    print("passed on, one pixel:", grad_input[0][0, :, 0, 0])
    total = grad_input[0].sum(dim=(2, 3))
    print("passed on, sum over the pixels:", total[0])


pool.register_full_backward_hook(report)
at_logits = torch.tensor([[0.25, 0.25, 1.25, 0.25]])
pool(maps).flatten(1).backward(at_logits)
