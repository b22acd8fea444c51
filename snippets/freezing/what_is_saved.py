import torch
from torch import nn
from torch.autograd.graph import saved_tensors_hooks


def show(activation, frozen):
    layers = [nn.Linear(8, 8, bias=False) for _ in range(4)]
    for i in frozen:
        layers[i].requires_grad_(False)
    weights = {layer.weight.data_ptr() for layer in layers}
    saved = {}

    def pack(tensor):
        if tensor.data_ptr() not in weights:
            saved[tensor.data_ptr()] = tensor
        return tensor

    with saved_tensors_hooks(pack, lambda tensor: tensor):
        y = layers[0](torch.ones(32, 8))
        for layer in layers[1:]:
            y = layer(activation(y))
    size = sum(tensor.nbytes for tensor in saved.values())
    print(f"  frozen {frozen}: {len(saved)} kept, {size} bytes")


for activation in (nn.Identity(), nn.ReLU()):
    print(f"between the layers: {activation}")
    for frozen in ([], [0, 1], [1, 2], [2, 3]):
        show(activation, frozen)
