import torch
from torch import nn


def report(module, grad_input, grad_output):
    print("full hook, grad_output:", grad_output[0].item())
    print("full hook, weight.grad:", module.weight.grad)


def ready(weight):
    print("post-accumulate hook, weight.grad:", weight.grad)


fc = nn.Linear(1, 1, bias=False)
nn.init.constant_(fc.weight, 3.0)
fc.register_full_backward_hook(report)
fc.weight.register_post_accumulate_grad_hook(ready)
x = torch.tensor([[4.0]], requires_grad=True)
(fc(x) + 2 * fc(x)).sum().backward()
