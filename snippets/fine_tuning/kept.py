import torch
from torch.autograd.graph import saved_tensors_hooks
from torch.nn.functional import linear, relu

x = torch.ones(32, 8)


def count(name, adapted, full=False):
    bases = [torch.ones(8, 8, requires_grad=full) for _ in range(4)]
    As = [torch.ones(1, 8, requires_grad=i in adapted) for i in range(4)]
    Bs = [torch.zeros(8, 1, requires_grad=i in adapted) for i in range(4)]
    weights = {t.data_ptr() for t in bases + As + Bs}
    kept = {}

    def pack(tensor):
        if tensor.data_ptr() not in weights:
            kept[tensor.data_ptr()] = tensor
        return tensor

    with saved_tensors_hooks(pack, lambda tensor: tensor):
        h = x
        for i, (W, A, B) in enumerate(zip(bases, As, Bs, strict=True)):
            h = relu(h) if i > 0 else h
            h = linear(h, W) + linear(linear(h, A), B) if i in adapted else linear(h, W)
    trained = sum(t.numel() for t in bases + As + Bs if t.requires_grad)
    activations = sum(t.nbytes for t in kept.values())
    print(f"{name}: activations {activations}, .grad and Adam {trained * 3 * 4} bytes")


count("all weights", [], full=True)
count("LoRA in all 4 layers", [0, 1, 2, 3])
count("LoRA in the last 2 layers", [2, 3])
count("LoRA in the last layer", [3])
