import torch

w = torch.nn.Parameter(torch.tensor(1.0))
optimizer = torch.optim.LBFGS([w], lr=0.1)
scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)


def closure():
    optimizer.zero_grad()
    loss = scaler.scale((w - 3) ** 2)
    loss.backward()
    return loss


closure()
try:
    scaler.step(optimizer, closure=closure)
except RuntimeError as error:
    print("scaler and closure:", error)
off = torch.amp.GradScaler("cpu", enabled=False)
try:
    scaler.load_state_dict(off.state_dict())
except RuntimeError as error:
    print("saved while off:", error)
scaler = off
scaler.step(optimizer, closure=closure)
print("scaler off, w:", w.detach())
