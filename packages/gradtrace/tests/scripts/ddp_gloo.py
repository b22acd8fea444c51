"""DistributedDataParallel over gloo, with a single process, as on a machine without a GPU."""

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
torch.manual_seed(25 + dist.get_rank())
net = nn.Sequential(nn.Linear(8, 16), nn.ELU(), nn.Linear(16, 2))
# In a function the model would be freed at its end, with its process group. That joins gloo's
# threads under the GIL, and one of them may still need the GIL to let go of a tensor.
model = DistributedDataParallel(net)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
inputs, targets = torch.randn(16, 8), torch.randn(16, 2)
for step in range(3):
    optimizer.zero_grad()
    with model.no_sync():
        first = nn.functional.mse_loss(model(inputs[:8]), targets[:8]) / 2
        first.backward()
    second = nn.functional.mse_loss(model(inputs[8:]), targets[8:]) / 2
    second.backward()
    optimizer.step()
    loss = first.detach() + second.detach()
    dist.all_reduce(loss)
    print(f"rank {dist.get_rank()} step {step}: loss {loss.item():.4f}")
    print("net.2.bias.grad", net[2].bias.grad)
    print("net.0.bias.grad", net[0].bias.grad)
dist.destroy_process_group()
