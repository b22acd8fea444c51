import torch
from torch.nn.utils import clip_grad_norm_
from torch.optim import SGD, Adam

for optimizer_class in (SGD, Adam):
    for clip in (False, True):
        w = torch.zeros(2, requires_grad=True)
        optimizer = optimizer_class([w], lr=0.1)
        w.grad = torch.tensor([30.0, 40.0])
        if clip:
            clip_grad_norm_([w], max_norm=1.0)
        optimizer.step()
        print(f"{optimizer_class.__name__}, clip={clip}, w:", w.detach())
