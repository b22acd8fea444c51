import torch

x = torch.tensor([1.0, 2.0, 2.0, 1.0, 1.0, 2.0, 1.0, 2.0])
w = torch.tensor(1.0, requires_grad=True)
for divide in (False, True):
    for k in (1, 2, 4):
        w.grad = None
        logged = 0.0
        for part in x.chunk(k):
            loss = (w * part).square().mean()
            if divide:
                loss = loss / k
            loss.backward()
            logged += loss.item()
        name = "divided" if divide else "not divided"
        print(f"{name}, {k} micro-batches: logged loss {logged}, norm {w.grad.norm()}")
