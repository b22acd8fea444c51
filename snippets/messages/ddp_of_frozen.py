import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

dist.init_process_group("gloo", rank=0, world_size=1, store=dist.HashStore())
layer = nn.Linear(1, 1, bias=False).requires_grad_(False)
try:
    DistributedDataParallel(layer)
except RuntimeError as error:
    print("frozen:", error)

layer.requires_grad_(True)
DistributedDataParallel(layer)(torch.tensor([[2.0]])).backward()
print("unfrozen first, weight.grad:", layer.weight.grad)
dist.destroy_process_group()
