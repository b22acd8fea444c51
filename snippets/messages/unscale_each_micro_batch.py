import torch

w = torch.tensor(1.0, requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.25)
scaler = torch.amp.GradScaler("cpu")
try:
    for x in (1.0, 2.0):
        scaler.scale(w * x).backward()
        scaler.unscale_(optimizer)
except RuntimeError as error:
    print("for each micro-batch:", error)

scaler.update()
optimizer.zero_grad()
for x in (1.0, 2.0):
    scaler.scale(w * x).backward()
scaler.unscale_(optimizer)
print("once, w.grad:", w.grad)
scaler.step(optimizer)
scaler.update()
print("w:", w.item())
