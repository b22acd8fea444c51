import torch

w = torch.nn.Parameter(torch.tensor(1.0))
optimizer = torch.optim.SGD([w], lr=0.1)
scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
try:
    scaler.step(optimizer)
except AssertionError as error:
    print("no scale:", error)
scaler.scale(3 * w).backward()
scaler.step(optimizer)
try:
    scaler.step(optimizer)
except RuntimeError as error:
    print("step twice:", error)
try:
    scaler.unscale_(optimizer)
except RuntimeError as error:
    print("unscale_ after step:", error)

scaler.update()
optimizer.zero_grad()
scaler.scale(3 * w).backward()
scaler.unscale_(optimizer)
print("after update(), w.grad:", w.grad)
