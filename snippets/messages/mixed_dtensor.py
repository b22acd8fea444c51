import torch
import torch.distributed as dist
from torch.distributed.tensor import Shard, distribute_tensor

dist.init_process_group("gloo", rank=0, world_size=1, store=dist.HashStore())
mesh = dist.init_device_mesh("cpu", (1,))
gradient = distribute_tensor(torch.tensor([3.0, 4.0]), mesh, [Shard(0)])
mask = torch.tensor([1.0, 0.0])
try:
    gradient * mask
except RuntimeError as error:
    print(str(error).split("!")[0])

as_dtensor = distribute_tensor(mask, gradient.device_mesh, gradient.placements)
print("a DTensor as mask:", (gradient * as_dtensor).full_tensor())
dist.destroy_process_group()
