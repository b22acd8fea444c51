import torch

layer = torch.nn.Linear(1, 1, bias=False)
torch.nn.init.ones_(layer.weight)
w = layer.weight
optimizer = torch.optim.SGD([w], lr=0.25)
scaler = torch.amp.GradScaler("cpu")

with torch.autocast("cpu", dtype=torch.float16):
    y = layer(torch.ones(1, 1))
    loss = (y.float() ** 2).sum()
scaler.scale(loss).backward()
scaler.unscale_(optimizer)
optimizer.step()
print(f"w: {w.item():g}")
