import torch
from torch import nn


def captured(inplace, keep):
    fc = nn.Linear(1, 2, bias=False)
    with torch.no_grad():
        fc.weight.copy_(torch.tensor([[2.0], [-3.0]]))
    kept = []
    fc.register_forward_hook(lambda module, args, output: kept.append(keep(output)))
    nn.Sequential(fc, nn.ReLU(inplace=inplace))(torch.ones(1, 1))
    return kept[0]


print("inplace=False, detach():", captured(False, lambda t: t.detach()))
print("inplace=True, detach():", captured(True, lambda t: t.detach()))
print("inplace=True, detach().clone():", captured(True, lambda t: t.detach().clone()))
