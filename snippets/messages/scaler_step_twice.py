import torch

w = torch.tensor(1.0, requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.25)
scaler = torch.amp.GradScaler("cpu")
scaler.scale(w).backward()
scaler.step(optimizer)
try:
    scaler.step(optimizer)
except RuntimeError as error:
    print("no update():", error)

scaler.update()
optimizer.zero_grad()
scaler.scale(w).backward()
scaler.step(optimizer)
scaler.update()
print("after update(), w:", w.item())
