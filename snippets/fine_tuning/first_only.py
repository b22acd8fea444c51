import torch
from torch.autograd.graph import saved_tensors_hooks
from torch.nn.functional import linear, relu

x, W = torch.ones(32, 8), torch.ones(8, 8)
A = torch.ones(1, 8, requires_grad=True)
B = torch.zeros(8, 1, requires_grad=True)
weights = {t.data_ptr() for t in (W, A, B)}
kept = {}


def pack(tensor):
    if tensor.data_ptr() not in weights:
        kept[tensor.data_ptr()] = tensor
    return tensor


with saved_tensors_hooks(pack, lambda tensor: tensor):
    h = linear(x, W) + linear(linear(x, A), B)
    for _ in range(3):
        h = linear(relu(h), W)
for tensor in kept.values():
    print(f"kept: {tuple(tensor.shape)}, {tensor.nbytes} bytes")
print("LoRA in layer 0 only: activations", sum(t.nbytes for t in kept.values()))
