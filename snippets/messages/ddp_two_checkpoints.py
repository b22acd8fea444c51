import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.checkpoint import checkpoint


class Twice(nn.Linear):
    def forward(self, x):
        for _ in range(2):
            x = checkpoint(super().forward, x, use_reentrant=self.reentrant)
        return x


dist.init_process_group("gloo", rank=0, world_size=1, store=dist.HashStore())
for reentrant in (True, False):
    layers = nn.Sequential(nn.Linear(1, 1, bias=False), Twice(1, 1, bias=False))
    for p in layers.parameters():
        nn.init.ones_(p)
    layers[1].reentrant = reentrant
    model = DistributedDataParallel(layers)
    try:
        model(torch.tensor([[3.0]])).backward()
        print(f"use_reentrant={reentrant}: weight.grad {layers[1].weight.grad}")
    except RuntimeError as error:
        print(f"use_reentrant={reentrant}:", str(error).split(". ")[0])
dist.destroy_process_group()
