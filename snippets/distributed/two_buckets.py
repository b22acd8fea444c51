import time
from concurrent.futures import ProcessPoolExecutor
from tempfile import TemporaryDirectory

import torch
import torch.distributed as dist
from torch.distributed.algorithms.ddp_comm_hooks.default_hooks import allreduce_hook


def train(rank, store):
    log = {}

    def gradient(layer, w):
        if rank == 1:
            store.wait(["rank 0, bucket 1" if layer > 2 else "rank 0, bucket 2"])
        log[f"rank {rank}: layer {layer}: {w.grad.item():g}"] = time.monotonic()

    def exchange(group, bucket):
        n = bucket.index() + 1
        log[f"rank {rank}: bucket {n} is full"] = time.monotonic()
        if rank == 1:
            log[f"network: bucket {n} ..."] = time.monotonic()
        store.set(f"rank {rank}, bucket {n}", "")
        store.wait([f"rank 1, bucket {n}"])
        return allreduce_hook(group, bucket)

    model = torch.nn.Sequential(*(torch.nn.Linear(1, 1, bias=False) for _ in range(4)))
    ddp = torch.nn.parallel.DistributedDataParallel(model, bucket_cap_mb=8 / 2**20)
    (0 * ddp(torch.ones(1, 1))).backward()
    ddp.register_comm_hook(None, exchange)
    for layer, w in enumerate(ddp.parameters(), 1):
        torch.nn.init.constant_(w, layer)
        w.register_post_accumulate_grad_hook(lambda w, n=layer: gradient(n, w))
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
        (log, means), (log1, _) = ranks.map(start, [0, 1], [f"{folder}/meet"] * 2)
    print(*sorted(log | log1, key=(log | log1).get), sep="\n")
    print("both ranks: .grad is the average:", means)
