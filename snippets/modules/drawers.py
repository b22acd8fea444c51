import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = nn.Linear(1, 1)
        self.hidden = [nn.Linear(1, 1)]
        self.scale = nn.Parameter(torch.tensor(1.0))
        self.shift = torch.tensor(1.0, requires_grad=True)
        self.register_buffer("mean", torch.tensor(0.5))


net = Net()
drawers = {
    "_parameters": net._parameters,
    "_buffers": net._buffers,
    "_modules": net._modules,
    "__dict__": net.__dict__,
}
for name in ("head", "hidden", "scale", "shift", "mean"):
    kind = type(getattr(net, name)).__name__
    for drawer, content in drawers.items():
        if name in content:
            print(f"{drawer}: {name}: {kind}")
