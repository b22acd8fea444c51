import torch


def train(kind, steps, together, **options):
    a = torch.tensor(0.0, requires_grad=True)
    b = torch.tensor(0.0, requires_grad=True)
    parts = [[a, b]] if together else [[a], [b]]
    optimizers = [kind(part, **options) for part in parts]

    def closure():
        a.grad, b.grad = None, None
        loss = ((a - 3) ** 2 + (b - 4) ** 2) / 2
        loss.backward()
        return loss

    for _ in range(steps):
        for optimizer in optimizers:
            optimizer.step(closure)
    return f"a={a.item():.4f} b={b.item():.4f}"


for name, kind, steps, options in (
    ("Adam, three steps", torch.optim.Adam, 3, {"lr": 0.1}),
    ("LBFGS, one step", torch.optim.LBFGS, 1, {"max_iter": 1}),
):
    print(name)
    print("  one optimizer: ", train(kind, steps, True, **options))
    print("  two optimizers:", train(kind, steps, False, **options))
