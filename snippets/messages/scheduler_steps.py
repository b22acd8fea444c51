import torch

w = torch.nn.Parameter(torch.tensor(1.0))
optimizer = torch.optim.SGD([w], lr=0.1)
schedulers = torch.optim.lr_scheduler
try:
    schedulers.OneCycleLR(optimizer, max_lr=1.0)
except ValueError as error:
    print("no length:", error)

scheduler = schedulers.OneCycleLR(optimizer, max_lr=1.0, total_steps=3, cycle_momentum=False)
try:
    for batch in range(4):
        optimizer.step()
        scheduler.step()
        print("after batch", batch)
except ValueError as error:
    print("once more:", error)
