import torch

w = torch.tensor(1.0, requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.25)
scaler = torch.amp.GradScaler("cpu")
scaler.scale(3 * w).backward()
try:
    scaler.update()
except AssertionError as error:
    print("update first:", error)

scaler.step(optimizer)
scaler.update()
print("step, then update, w:", w.item())
