import torch
from torch.nn.utils import clip_grad_norm_

w = torch.tensor(1.0, requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.25)
scaler = torch.amp.GradScaler("cpu")
scaler.scale(3 * w).backward()
scaler.step(optimizer)
try:
    scaler.unscale_(optimizer)
except RuntimeError as error:
    print("after step():", error)

scaler.update()
optimizer.zero_grad()
scaler.scale(3 * w).backward()
scaler.unscale_(optimizer)
print("before step(), norm:", clip_grad_norm_([w], max_norm=1.0).item())
scaler.step(optimizer)
scaler.update()
