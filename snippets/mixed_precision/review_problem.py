import torch
from torch.nn.utils import clip_grad_norm_

layer = torch.nn.Linear(1, 1, bias=False)
torch.nn.init.ones_(layer.weight)
w = layer.weight
optimizer = torch.optim.SGD([w], lr=0.25)
scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)


def log(grad):
    print(f"logged gradient: {grad.item():g}")


w.register_hook(log)

parts = [torch.full((1, 1), 1.0), torch.full((1, 1), 3.0)]
for x in parts:
    with torch.autocast("cpu", dtype=torch.float16):
        y = layer(x)
        loss = (y.float() ** 2).sum()
    scaler.scale(loss).backward()

clip_grad_norm_([w], max_norm=2.0)
scaler.step(optimizer)
scaler.update()
print(f"w: {w.item():.4f}")
