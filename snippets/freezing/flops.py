import torch
from torch import nn
from torch.utils.flop_counter import FlopCounterMode

for frozen in ([], [0, 1], [1, 2], [2, 3]):
    net = nn.Sequential(*(nn.Linear(8, 8, bias=False) for _ in range(4)))
    for i in frozen:
        net[i].requires_grad_(False)
    loss = net(torch.ones(32, 8)).sum()
    with FlopCounterMode(display=False) as counter:
        loss.backward()
    products = counter.get_total_flops() // (2 * 32 * 8 * 8)
    print(f"frozen {frozen}: products: {products}")
