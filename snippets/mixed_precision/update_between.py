import torch


def accumulate(update_between):
    w = torch.tensor(1.0, requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=0.25)
    scaler = torch.amp.GradScaler("cpu", init_scale=1024.0, growth_interval=1)
    scaler.scale(w * 1.0).backward()
    if update_between:
        scaler.unscale_(optimizer)
        scaler.update()
    scaler.scale(w * 3.0).backward()
    print(f"  w.grad: {w.grad.item():g}")
    print(f"  scale: {scaler.get_scale():g}")
    scaler.step(optimizer)
    print(f"  w: {w.item():g}")


print("unscale and update at the end")
accumulate(False)
print("unscale and update after each")
accumulate(True)
