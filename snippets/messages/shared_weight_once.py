import warnings

import torch
from torch import nn

first, second = nn.Linear(1, 1), nn.Linear(1, 1)
second.weight = first.weight
parameters = [*first.parameters(), *second.parameters()]
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    torch.optim.SGD(parameters, lr=0.1)
    print("two modules:", str(caught[0].message).split("; see")[0])
    caught.clear()
    optimizer = torch.optim.SGD(nn.ModuleList([first, second]).parameters(), lr=0.1)
    print("one ModuleList:", len(optimizer.param_groups[0]["params"]), "parameters")
    print("warnings:", len(caught))
