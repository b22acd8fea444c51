import torch
from torch import nn


def report(module, grad_input, grad_output):
    print("  hook, grad_output:", grad_output[0])


for place in ("nowhere", "on the Linear", "on the ReLU", "on the whole"):
    fc, relu = nn.Linear(1, 2, bias=False), nn.ReLU(inplace=True)
    fc.weight = nn.Parameter(torch.tensor([[3.0], [-3.0]]))
    net = nn.Sequential(fc, relu)
    hooked = {"on the Linear": fc, "on the ReLU": relu, "on the whole": net}
    if place in hooked:
        hooked[place].register_full_backward_hook(report)
    print("hook", place)
    try:
        x = torch.tensor([[2.0]], requires_grad=True)
        (5 * net(x)).sum().backward()
        print("  weight.grad:", fc.weight.grad.flatten())
    except RuntimeError as error:
        print("  RuntimeError:", str(error).split(". ")[0])
