import torch

losses = [lambda w: (w - 2) ** 2, lambda w: (w - 3) ** 2]


def train(kind, once, **options):
    w = torch.tensor(1.0, requires_grad=True)
    optimizer = kind([w], lr=0.1, **options)
    if once:
        sum(loss(w) for loss in losses).backward()
        optimizer.step()
    else:
        for loss in losses:
            optimizer.zero_grad()
            loss(w).backward()
            optimizer.step()
    return f"{w.item():.4f}"


for name, kind, options in (
    ("momentum", torch.optim.SGD, {"momentum": 0.9}),
    ("Adam", torch.optim.Adam, {}),
):
    print(f"{name}, once: ", train(kind, True, **options))
    print(f"{name}, twice:", train(kind, False, **options))
