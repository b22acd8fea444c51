import torch
from torch.nn.utils import clip_grad_norm_

micro_batches = [torch.tensor([2.0, 0.0]), torch.tensor([0.0, 2.0])]
for each_time in (True, False):
    w = torch.zeros(2, requires_grad=True)
    for x in micro_batches:
        (w @ x).backward()
        if each_time:
            clip_grad_norm_([w], max_norm=1.0)
            print("after a micro-batch, w.grad:", w.grad)
    if not each_time:
        print("before clipping, w.grad:", w.grad)
        clip_grad_norm_([w], max_norm=1.0)
    name = "clipped each time" if each_time else "clipped once"
    print(f"{name}, w.grad:", w.grad)
