import torch
from torch import nn


def stop(module, args, output):
    if not output.isfinite().all():
        raise FloatingPointError(f"not finite after {type(module).__name__}")


class Ratio(nn.Module):
    def forward(self, x):
        return x / x.sum()


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.relu = nn.ReLU()
        self.ratio = Ratio()

    def forward(self, x):
        return self.ratio(self.relu(x))


model = nn.Sequential(Block(), nn.Linear(2, 1))
for module in model.modules():
    module.register_forward_hook(stop)
try:
    model(torch.tensor([-1.0, -2.0]))
except FloatingPointError as error:
    print("FloatingPointError:", error)
