import torch
import torch.nn.functional as F

values = torch.tensor([[1.0, 3.0], [3.0, 3.0]])


def gradient(f):
    x = values.clone().requires_grad_()
    f(x).backward()
    return x.grad.flatten()


print("max_pool2d:", gradient(lambda x: F.max_pool2d(x[None], 2)))
print("max(dim):", gradient(lambda x: x.flatten().max(dim=0).values))
print("amax:", gradient(lambda x: x.amax()))
print("max():", gradient(lambda x: x.max()))
print("avg_pool2d:", gradient(lambda x: F.avg_pool2d(x[None], 2)))
