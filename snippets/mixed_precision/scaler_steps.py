import torch

layer = torch.nn.Linear(1, 1, bias=False)
torch.nn.init.ones_(layer.weight)
w = layer.weight
x = torch.ones(1, 1)
optimizer = torch.optim.SGD([w], lr=0.25)
scaler = torch.amp.GradScaler("cpu", growth_interval=2)

for number in range(1, 6):
    optimizer.zero_grad()
    with torch.autocast("cpu", dtype=torch.float16):
        y = layer(x)
        loss = (y.float() ** 2).sum()
    scaler.scale(loss).backward()
    print(f"step {number}, scale: {scaler.get_scale():g}")
    print(f"  scaled w.grad: {w.grad.item():g}")
    scaler.unscale_(optimizer)
    print(f"  unscaled w.grad: {w.grad.item():g}")
    scaler.step(optimizer)
    scaler.update()
    print(f"  w: {w.item():g}")
print(f"scale at the end: {scaler.get_scale():g}")
