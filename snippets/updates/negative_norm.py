import torch
from torch.nn.utils import clip_grad_norm_

w = torch.zeros(2, requires_grad=True)
for max_norm in (1.0, 0.0, -1.0):
    w.grad = torch.tensor([3.0, 4.0])
    clip_grad_norm_([w], max_norm=max_norm)
    print(f"max_norm {max_norm}, w.grad:", w.grad)
