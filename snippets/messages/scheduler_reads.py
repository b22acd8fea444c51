import warnings

import torch

w = torch.nn.Parameter(torch.tensor(1.0))
optimizer = torch.optim.SGD([w], lr=0.1)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=1, gamma=0.5)
optimizer.step()
scheduler.step()
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    print("get_lr():", scheduler.get_lr())
    print(caught[0].message)
print("get_last_lr():", scheduler.get_last_lr())
