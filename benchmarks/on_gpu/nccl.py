"""DistributedDataParallel over nccl with one process: bucket views and reduced precision."""

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.algorithms.ddp_comm_hooks.default_hooks import bf16_compress_hook
from torch.nn.parallel import DistributedDataParallel

dist.init_process_group("nccl", store=dist.HashStore(), rank=0, world_size=1)
for views in (False, True):
    for hook in (None, bf16_compress_hook):
        layer = nn.Linear(1, 1, bias=False, device="cuda")
        model = DistributedDataParallel(layer, gradient_as_bucket_view=views)
        if hook is not None:
            model.register_comm_hook(None, hook)
        model(torch.tensor([[1.0 + 2.0**-10]], device="cuda")).sum().backward()
        name = hook.__name__ if hook else "no hook"
        print(f"bucket views {views}, {name}: {layer.weight.grad.item()}")
dist.destroy_process_group()
