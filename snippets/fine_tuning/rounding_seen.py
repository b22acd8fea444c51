import torch

W, scale, target = torch.tensor(0.5), 0.25, 0.75


def straight_through(w):
    return w + ((w / scale).round() * scale - w).detach()


def plain_round(w):
    return (w / scale).round() * scale


for rounded in (plain_round, straight_through):
    b = torch.tensor(0.0, requires_grad=True)
    optimizer = torch.optim.SGD([b], lr=0.25)
    print(rounded.__name__)
    for _ in range(3):
        used = rounded(W + b)
        loss = (used - target) ** 2
        optimizer.zero_grad()
        loss.backward()
        print(f"  W + b {(W + b).item()}, rounded {used.item()}, b.grad {b.grad.item()}")
        optimizer.step()
