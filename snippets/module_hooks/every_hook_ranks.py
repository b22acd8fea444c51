import warnings
from concurrent.futures import ProcessPoolExecutor
from tempfile import TemporaryDirectory

import torch
import torch.distributed as dist
from torch import nn
from torch.autograd.graph import register_multi_grad_hook
from torch.distributed.fsdp import fully_shard


def train(rank, parallel):
    seen = []

    def say(kind, value):
        own = value.to_local() if isinstance(value, dist.tensor.DTensor) else value
        seen.append(f"{kind} {None if own is None else own.sum().item()}")

    x = torch.tensor([[1.0 + 2.0 * rank]], requires_grad=True)
    fc = nn.Linear(1, 2, bias=False)
    nn.init.ones_(fc.weight)
    net = parallel(fc)
    w = fc.weight
    sgd = torch.optim.SGD([w])
    fc.register_forward_pre_hook(lambda m, args: say("forward pre-hook", args[0]))
    fc.register_forward_hook(lambda m, args, y: say("forward hook", y))
    fc.register_full_backward_pre_hook(lambda m, g: say("full backward pre-hook", g[0]))
    fc.register_full_backward_hook(lambda m, g, _: say("full backward hook", g[0]))
    w.register_hook(lambda g: say("tensor hook on w", g))
    w.register_post_accumulate_grad_hook(lambda w: say("post-accumulate hook", w.grad))
    register_multi_grad_hook([w, x], lambda grads: say("multi-grad hook", grads[0]))
    sgd.register_step_pre_hook(lambda *args: say("step pre-hook", w.grad))
    net(x).sum().backward()
    sgd.step()
    return "\n  ".join([f"rank {rank}", *seen])


def start(rank, meeting):
    warnings.simplefilter("ignore")
    store = dist.FileStore(meeting, 2)
    dist.init_process_group("gloo", rank=rank, world_size=2, store=store)
    ddp = train(rank, nn.parallel.DistributedDataParallel)
    fsdp = train(rank, lambda fc: fully_shard(fc, mesh=dist.init_device_mesh("cpu", (2,))))
    dist.destroy_process_group()
    return f"DDP, {ddp}\nFSDP, {fsdp}"


if __name__ == "__main__":
    with TemporaryDirectory() as folder, ProcessPoolExecutor(2) as ranks:
        print(*ranks.map(start, [0, 1], [f"{folder}/meet"] * 2), sep="\n")
