import torch


def train(clone):
    w = torch.ones(3, requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=0.1)
    if clone:
        used = w.clone()
        used[0] = 5.0
    else:
        used = w
        with torch.no_grad():
            used[0] = 5.0
    (used**2).sum().backward()
    optimizer.step()
    return w.detach()


print("no_grad, w:", train(clone=False))
print("clone, w:", train(clone=True))
