"""float16 and bfloat16 on a GPU: what autocast casts, and what a scaler saves."""

import torch
from torch import nn

torch.manual_seed(0)
layer = nn.Linear(4, 4, device="cuda")
x = torch.ones(2, 4, device="cuda")
for dtype in (torch.float16, torch.bfloat16):
    with torch.autocast("cuda", dtype=dtype):
        y = layer(x)
        print(f"{dtype}: Linear {y.dtype}, softmax {y.softmax(1).dtype}, sum {y.sum().dtype}")
    loss = (y.float() * 1e-8).sum()
    layer.zero_grad()
    loss.backward()
    print("  weights with a gradient of 0:", (layer.weight.grad == 0).sum().item(), "of 16")

scaler = torch.amp.GradScaler("cuda")
optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
with torch.autocast("cuda", dtype=torch.float16):
    y = layer(x)
optimizer.zero_grad()
scaler.scale((y.float() * 1e-8).sum()).backward()
scaler.unscale_(optimizer)
print("with the scaler:", (layer.weight.grad == 0).sum().item(), "of 16")
