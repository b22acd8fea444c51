import torch
from torch import nn

wanted = torch.full((4, 1, 1, 1), 0.25)
conv = nn.Conv2d(1, 4, 1, bias=False)
parameter = conv.weight


def report(way):
    same = conv.weight is parameter
    done = conv.weight.equal(wanted)
    print(f"{way}: set {done}, same parameter {same}")
    nn.init.zeros_(parameter)
    conv.weight = parameter


with torch.no_grad():
    conv.weight.copy_(wanted)
report("copy_")
nn.init.constant_(conv.weight, 0.25)
report("nn.init")
conv.load_state_dict({"weight": wanted})
report("load_state_dict")
conv.weight = nn.Parameter(wanted.clone())
report("new Parameter")
try:
    conv.weight = wanted
except TypeError as error:
    print("TypeError:", error)
report("plain tensor")
