import torch
from torch import nn


def captured(inplace, keep):
    fc = nn.Linear(1, 2, bias=False)
    with torch.no_grad():
        fc.weight.copy_(torch.tensor([[2.0], [-3.0]]))
    kept = []
    fc.register_forward_hook(lambda m, args, out: kept.append(keep(out)))
    nn.Sequential(fc, nn.ReLU(inplace=inplace))(torch.ones(1, 1))
    return kept[0]


def detach_and_clone(output):
    return output.detach().clone()


print("inplace=False, detach():", captured(False, torch.detach))
print("inplace=True, detach():", captured(True, torch.detach))
print("inplace=True, detach().clone():", captured(True, detach_and_clone))
