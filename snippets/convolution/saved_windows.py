import torch
import torch.nn.functional as F
from torch.autograd.graph import saved_tensors_hooks

x = torch.ones(1, 2, 20, 20, requires_grad=True)
kernels = torch.ones(3, 2, 3, 3, requires_grad=True)
sizes = []


def pack(tensor):
    sizes.append(tensor.numel())
    return tensor


with saved_tensors_hooks(pack, lambda tensor: tensor):
    y = F.conv2d(x, kernels, padding=1)
    print("conv2d saves:", sorted(sizes))
    sizes.clear()
    z = kernels.view(3, 18) @ F.unfold(x, 3, padding=1)
    print("unfold and a product save:", sorted(sizes))
print("equal:", torch.equal(y.flatten(2), z))
