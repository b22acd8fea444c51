import copy

import torch
from torch import nn

fired = []
net = nn.Linear(1, 1)
handle = net.register_forward_hook(lambda m, args, out: fired.append(m))
twin = copy.deepcopy(net)
fresh = nn.Linear(1, 1)
fresh.load_state_dict(net.state_dict())
print("names in state_dict:", list(net.state_dict()))

handle.remove()
for name, module in (("net", net), ("twin", twin), ("fresh", fresh)):
    fired.clear()
    module(torch.ones(1, 1))
    print(f"after handle.remove(), {name} fires:", len(fired))
