import time
from concurrent.futures import ProcessPoolExecutor
from tempfile import TemporaryDirectory

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.algorithms.ddp_comm_hooks.default_hooks import allreduce_hook


def train(rank, store):
    log = []

    def say(text):
        log.append((time.monotonic(), f"rank {rank}: {text}"))

    def exchange(group, bucket):
        say("the bucket is full: exchange")
        if rank == 0:
            say("waits ...")
            store.set("rank 0 waits", "")
        return allreduce_hook(group, bucket)

    model = nn.Sequential(nn.Linear(1, 1, bias=False), nn.Linear(1, 1, bias=False))
    for layer, w in enumerate(model.parameters(), 1):
        nn.init.constant_(w, layer)
        w.register_post_accumulate_grad_hook(lambda w, n=layer: say(f"hook {n}: {w.grad.item()}"))
    if rank == 1:
        say("loads its batch ...")
    ddp = nn.parallel.DistributedDataParallel(model)
    ddp.register_comm_hook(None, exchange)
    if rank == 1:
        store.wait(["rank 0 waits"])
    ddp(torch.tensor([[1.0 + 2 * rank]])).backward()
    return log, [w.grad.item() for w in ddp.parameters()]


def start(rank, meeting):
    store = dist.FileStore(meeting, 2)
    dist.init_process_group("gloo", rank=rank, world_size=2, store=store)
    log_and_means = train(rank, store)
    dist.destroy_process_group()
    return log_and_means


if __name__ == "__main__":
    with TemporaryDirectory() as folder, ProcessPoolExecutor(2) as ranks:
        (first, means), (second, _) = ranks.map(start, [0, 1], [f"{folder}/meet"] * 2)
    print(*(text for _, text in sorted(first + second)), sep="\n")
    print("both ranks: .grad is the average:", means)
