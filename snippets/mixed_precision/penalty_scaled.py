import torch

for divide in (False, True):
    w = torch.tensor([3.0], requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=0.0625)
    scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
    x = torch.ones(1, requires_grad=True)
    y = w.half() * x.half()
    (g,) = torch.autograd.grad(scaler.scale(y.sum()), x, create_graph=True)
    if divide:
        g = g / scaler.get_scale()
    penalty = (g.float() ** 2).sum()
    scaler.scale(penalty).backward()
    print(f"divided {divide}: penalty {penalty.item():g}, w.grad {w.grad.item():g}")
    scaler.step(optimizer)
    scaler.update()
    print(f"divided {divide}: w {w.item():g}, scale {scaler.get_scale():g}")
