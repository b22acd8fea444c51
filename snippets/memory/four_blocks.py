import torch
from torch import nn
from torch.autograd.graph import saved_tensors_hooks
from torch.utils.checkpoint import checkpoint

torch.manual_seed(0)
blocks = nn.Sequential()
for _ in range(4):
    block = nn.Sequential(nn.Linear(16, 64), nn.GELU(), nn.Linear(64, 16))
    block[0].register_forward_hook(lambda *args: calls.append("block"))
    blocks.append(block)
weights = {p.data_ptr() for p in blocks.parameters()}
x = torch.randn(64, 16)


def pack(tensor):
    if tensor.data_ptr() not in weights:
        saved[tensor.data_ptr()] = tensor.nbytes
    return tensor.detach()


gradients = []
for way in ("plain", "checkpointed"):
    print(way)
    saved, calls, y = {}, [], x
    with saved_tensors_hooks(pack, lambda packed: packed):
        for block in blocks:
            y = block(y) if way == "plain" else checkpoint(block, y, use_reentrant=False)
    print(f"  {len(saved)} tensors, {sum(saved.values())} bytes")
    print("  forward pass, calls:", len(calls))
    blocks.zero_grad()
    (y**2).mean().backward()
    print("  after backward(), calls:", len(calls))
    gradients.append([p.grad for p in blocks.parameters()])
pairs = zip(*gradients, strict=True)
print("same gradients:", all(torch.allclose(a, b) for a, b in pairs))
