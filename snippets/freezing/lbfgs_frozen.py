import torch

w = torch.tensor(2.0, requires_grad=True)
v = torch.tensor(3.0, requires_grad=True)


def closure():
    optimizer.zero_grad()
    loss = 3 * w + v**2
    loss.backward()
    return loss


for name in ("old optimizer", "new optimizer"):
    w.requires_grad_(True)
    optimizer = torch.optim.LBFGS([w, v], max_iter=1)
    optimizer.step(closure)
    w.requires_grad_(False)
    w.grad = None
    if name == "new optimizer":
        optimizer = torch.optim.LBFGS([v], max_iter=1)
    before = w.item()
    optimizer.step(closure)
    print(f"{name}, w.grad: {w.grad}, w moves by {w.item() - before:.4f}")
