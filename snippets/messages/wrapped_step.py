import warnings

import torch

w = torch.nn.Parameter(torch.tensor(1.0))
optimizer = torch.optim.SGD([w], lr=0.1)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=1)
original = optimizer.step


def counted():
    counts.append(1)
    original()


counts = []
optimizer.step = counted
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    optimizer.step()
    scheduler.step()
    print(str(caught[0].message).split(". ")[0])


def count(optimizer, args, kwargs):
    counts.append(1)


optimizer.step = original
optimizer.register_step_post_hook(count)
optimizer.step()
print("steps counted:", len(counts))
