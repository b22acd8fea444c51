import torch

w = torch.tensor(1.0, requires_grad=True)
other = torch.tensor(5.0, requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.25)
scaler = torch.amp.GradScaler("cpu")
scaler.scale(3 * other).backward()
try:
    scaler.step(optimizer)
except AssertionError as error:
    print("w.grad is None:", error)

scaler = torch.amp.GradScaler("cpu")
for name, loss in [("loss without w", 3 * other), ("loss with w", 3 * w)]:
    scaler.scale(loss).backward()
    if w.grad is not None:
        scaler.step(optimizer)
        scaler.update()
    print(f"{name}, w:", w.item())
