import matplotlib.pyplot as plt
import torch
from torch import nn
from torch.autograd.graph import saved_tensors_hooks

model = nn.Sequential()
for _ in range(8):
    model.append(nn.Linear(64, 64))
    model.append(nn.GELU())
weights = {p.data_ptr(): p.nbytes for p in model.parameters()}


def pack(tensor):
    if tensor.data_ptr() not in weights:
        saved[tensor.data_ptr()] = tensor.nbytes
    return tensor.detach()


fixed = 4 * sum(weights.values())
print("weights, gradients, two moments of Adam:", fixed)
sizes = [16, 32, 64, 128, 256]
kept = []
for size in sizes:
    saved = {}
    with saved_tensors_hooks(pack, lambda packed: packed):
        y = model(torch.ones(size, 64))
    kept.append(sum(saved.values()))
    print(f"batch of {size}, kept for backward: {kept[-1]}")
plt.plot(sizes, [n / 1000 for n in kept], label="kept for backward")
plt.axhline(fixed / 1000, color="C1", label="weights and Adam")
plt.xlabel("batch size")
plt.ylabel("kilobytes")
plt.legend()
plt.show()
