import torch


def end(lr, rounds):
    w = torch.tensor(0.0, dtype=torch.float64, requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=lr)
    for targets in rounds:
        optimizer.zero_grad()
        sum((w - target) ** 2 for target in targets).backward()
        optimizer.step()
    return w.item()


for lr in (0.25, 0.0025):
    once, twice = end(lr, [(1, 3)]), end(lr, [(1,), (3,)])
    print(f"lr {lr}: once w={once:.6f}  twice w={twice:.6f}  gap={once - twice:.6f}")
