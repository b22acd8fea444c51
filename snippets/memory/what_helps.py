import torch
from torch import nn
from torch.autograd.graph import saved_tensors_hooks
from torch.utils.checkpoint import checkpoint

torch.manual_seed(0)
blocks = nn.Sequential()
for _ in range(4):
    blocks.append(nn.Sequential(nn.Linear(64, 256), nn.GELU(), nn.Linear(256, 64)))
weights = {p.data_ptr() for p in blocks.parameters()}
data = torch.randn(256, 64)


def show(name, x, checkpoints=False):
    saved = {}

    def pack(tensor):
        if tensor.data_ptr() not in weights:
            saved[tensor.data_ptr()] = tensor.detach()
        return tensor.detach()

    with saved_tensors_hooks(pack, lambda packed: packed):
        for block in blocks:
            x = checkpoint(block, x, use_reentrant=False) if checkpoints else block(x)
    print(f"{name}: {sum(t.nbytes for t in saved.values())} bytes")


show("as it is", data)
show("a quarter of the batch", data[:64])
with torch.autocast("cpu", dtype=torch.bfloat16):
    show("autocast to bfloat16", data)
show("checkpoints", data, checkpoints=True)
blocks[:3].requires_grad_(False)
show("the first three blocks frozen", data)
with torch.no_grad():
    show("no_grad()", data)
