import torch


def by_sign(margin):
    return margin + torch.sign(margin) * 1e-6


def by_where(margin):
    return margin + torch.where(margin >= 0, 1e-6, -1e-6)


for protect in (by_sign, by_where):
    for m in (0.5, 0.0):
        z = torch.tensor(0.25, requires_grad=True)
        safe = protect(torch.tensor(m))
        loss = torch.relu(1 - z / safe) * safe.abs()
        loss.backward()
        print(f"{protect.__name__}, margin {m}: loss {loss.item():.4f}, z.grad {z.grad + 0:.4f}")
