import warnings

import torch

w = torch.tensor(1.0, requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.5)
schedule = torch.optim.lr_scheduler.StepLR(optimizer, 1, 0.5)
scaler = torch.amp.GradScaler("cpu")
inf = float("inf")

with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    for number, factor in enumerate([inf, 1.0, 1.0], start=1):
        optimizer.zero_grad()
        scaler.scale(w * factor).backward()
        scaler.step(optimizer)
        scaler.update()
        schedule.step()
        lr = schedule.get_last_lr()[0]
        print(f"step {number}, w: {w.item():g}, next lr: {lr:g}")

for warning in caught:
    print(str(warning.message).partition(". ")[0])
