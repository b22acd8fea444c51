import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel


class FirstOnly(nn.Sequential):
    def forward(self, x):
        return self[0](x)


dist.init_process_group("gloo", rank=0, world_size=1, store=dist.HashStore())
for look in (False, True):
    heads = FirstOnly(nn.Linear(1, 1), nn.Linear(1, 1))
    model = DistributedDataParallel(heads, find_unused_parameters=look)
    try:
        for x in (2.0, 3.0):
            heads.zero_grad()
            model(torch.tensor([[x]])).backward()
        print(f"find_unused_parameters={look}: weight.grad {heads[0].weight.grad}")
    except RuntimeError as error:
        print(f"find_unused_parameters={look}:", str(error).split(". ")[0])
dist.destroy_process_group()
