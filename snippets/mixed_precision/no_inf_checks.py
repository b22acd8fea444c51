import torch

v = torch.tensor(1.0, requires_grad=True)
w = torch.tensor(1.0, requires_grad=True)
optimizer_v = torch.optim.SGD([v], lr=0.25)
optimizer_w = torch.optim.SGD([w], lr=0.25)
scaler = torch.amp.GradScaler("cpu")

scaler.scale(w**2).backward()


def has_gradient(optimizer):
    for group in optimizer.param_groups:
        for parameter in group["params"]:
            if parameter.grad is not None:
                return True
    return False


for name, optimizer in {"w": optimizer_w, "v": optimizer_v}.items():
    print(f"{name} has a gradient: {has_gradient(optimizer)}")
    try:
        scaler.step(optimizer)
        print("  step taken")
    except AssertionError as error:
        print(f"  {error}")
scaler.update()
