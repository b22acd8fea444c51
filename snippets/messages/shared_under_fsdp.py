import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.fsdp import fully_shard


def tied():
    words = nn.Embedding(3, 2)
    head = nn.Linear(2, 3, bias=False)
    head.weight = words.weight
    return nn.Sequential(words, nn.Linear(2, 2), head)


dist.init_process_group("gloo", rank=0, world_size=1, store=dist.HashStore())
mesh = dist.init_device_mesh("cpu", (1,))
apart, together = tied(), tied()
for layer in apart:
    fully_shard(layer, mesh=mesh)
fully_shard(together[1], mesh=mesh)
fully_shard([together[0], together[2]], mesh=mesh)
for name, model in [("each alone", apart), ("one group", together)]:
    fully_shard(model, mesh=mesh)
    try:
        model(torch.tensor([0, 2])).sum().backward()
        print(f"{name}, still tied: {model[0].weight is model[2].weight}")
    except ValueError as error:
        print(f"{name}: {error}")
dist.destroy_process_group()
