import torch
from torch.nn.utils import clip_grad_norm_

layer = torch.nn.Linear(1, 1, bias=False)
torch.nn.init.ones_(layer.weight)
w = layer.weight
optimizer = torch.optim.SGD([w], lr=0.25)
scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)

parts = [torch.full((1, 1), 1.0), torch.full((1, 1), 3.0)]
for x in parts:
    with torch.autocast("cpu", dtype=torch.float16):
        y = layer(x)
        loss = (y.float() ** 2).sum() / len(parts)
    scaler.scale(loss).backward()
    print(f"x: {x.item():g}, scaled w.grad: {w.grad.item():g}")

scaler.unscale_(optimizer)
print(f"unscale_, w.grad: {w.grad.item():g}")
norm = clip_grad_norm_([w], max_norm=2.0)
print(f"norm: {norm.item():g}, clipped w.grad: {w.grad.item():g}")
scaler.step(optimizer)
scaler.update()
optimizer.zero_grad()
print(f"w: {w.item():g}")
