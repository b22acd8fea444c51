import copy

import torch
from torch import nn


def keep(module, args, output):
    module.kept = output


def keep_detached(module, args, output):
    module.kept = output.detach()


for hook in (keep, keep_detached):
    net = nn.Linear(1, 1)
    net.register_forward_hook(hook)
    net(torch.ones(1, 1))
    try:
        twin = copy.deepcopy(net)
        print(f"{hook.__name__}: copied, kept too:", "kept" in vars(twin))
    except RuntimeError as error:
        print(f"{hook.__name__}: RuntimeError:", str(error).split(". ")[0])
