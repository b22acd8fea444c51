import torch
from torch.autograd.graph import increment_version

for tell in (False, True):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    h = 1 * x
    loss = h.square().sum()
    h.detach().numpy()[0] = 10
    if tell:
        increment_version(h)
    try:
        loss.backward()
        print("not told, x.grad:", x.grad.tolist())
    except RuntimeError as error:
        print("told:", str(error).split(";")[0])
