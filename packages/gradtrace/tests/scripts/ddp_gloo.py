"""DistributedDataParallel over gloo, with a single process, as on a machine without a GPU."""

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel


def setup():
    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)


def main():
    setup()
    torch.manual_seed(25 + dist.get_rank())
    net = nn.Sequential(nn.Linear(8, 16), nn.ELU(), nn.Linear(16, 2))
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


if __name__ == "__main__":
    main()
