import torch

for length in (4, 2, 1):
    w = torch.tensor(1.0, requires_grad=True)
    h = torch.tensor(0.0)
    total = 0.0
    for _ in range(4 // length):
        h = h.detach()
        loss = torch.tensor(0.0)
        for _ in range(length):
            h = w * h + 1
            loss = loss + h
        loss.backward()
        total += loss.item()
    print(f"segments of {length}: last h {h.item()}, loss {total}, w.grad {w.grad}")
