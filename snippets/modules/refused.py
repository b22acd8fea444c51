import torch
from torch import nn


class NoInit(nn.Module):
    def __init__(self):
        self.layer = nn.Linear(1, 1)


def assign_computed():
    layer = nn.Linear(1, 1)
    layer.weight = 3 * layer.weight


def parameter_of_integers():
    nn.Parameter(torch.tensor([1, 2]))


def name_is_taken():
    layer = nn.Linear(1, 1)
    layer.scale = torch.ones(1)
    layer.register_buffer("scale", torch.ones(1))


attempts = [NoInit, assign_computed, parameter_of_integers]
for attempt in [*attempts, name_is_taken]:
    try:
        attempt()
    except Exception as error:
        print(f"{attempt.__name__}: {type(error).__name__}")
        print("   ", str(error).strip('"'))
