import torch
from torch import nn
from torch.autograd.graph import saved_tensors_hooks
from torch.utils.flop_counter import FlopCounterMode

blocks = nn.Sequential()
for _ in range(4):
    blocks.append(nn.Sequential(nn.Linear(64, 256), nn.GELU(), nn.Linear(256, 64)))
weights = {p.data_ptr() for p in blocks.parameters()}
data = torch.ones(256, 64)
product = 2 * 256 * 64 * 256


def report(name, model):
    saved = {}

    def pack(tensor):
        if tensor.data_ptr() not in weights:
            saved[tensor.data_ptr()] = tensor.detach()
        return tensor.detach()

    with saved_tensors_hooks(pack, lambda packed: packed):
        loss = model(data).sum()
    with FlopCounterMode(display=False) as counter:
        loss.backward()
    kept = sum(tensor.nbytes for tensor in saved.values())
    times = counter.get_total_flops() // product
    print(f"{name}: {kept} bytes kept, backward() computes {times} products")


report("not compiled", blocks)
for budget in (1.0, 0.5, 0.1):
    torch.compiler.reset()
    with torch._functorch.config.patch(activation_memory_budget=budget):
        report(f"budget {budget}", torch.compile(blocks, backend="aot_eager"))
