import warnings

import torch


def start():
    w = torch.tensor(1.0, requires_grad=True)
    w.grad = torch.tensor(1.0)
    optimizer = torch.optim.SGD([w], lr=0.5)
    return w, optimizer, torch.optim.lr_scheduler.StepLR(optimizer, 1, gamma=0.1)


with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    w, optimizer, scheduler = start()
    scheduler.step()
    optimizer.step()
    print("scheduler first, w:", round(w.item(), 4))
    print("warning:", str(caught[0].message).split(". ")[0])
    caught.clear()
    w, optimizer, scheduler = start()
    optimizer.step()
    scheduler.step()
    print("optimizer first, w:", round(w.item(), 4))
    print("warnings:", len(caught))
