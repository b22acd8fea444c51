import torch


def train(together, clip):
    a = torch.tensor(0.0, requires_grad=True)
    b = torch.tensor(0.0, requires_grad=True)
    parts = [[a, b]] if together else [[a], [b]]
    optimizers = [torch.optim.SGD(part, lr=0.1, momentum=0.9) for part in parts]
    for _ in range(3):
        a.grad, b.grad = torch.tensor(3.0), torch.tensor(4.0)
        for part, optimizer in zip(parts, optimizers, strict=True):
            if clip:
                torch.nn.utils.clip_grad_norm_(part, max_norm=1.0)
            optimizer.step()
    return f"a={a.item():.4f} b={b.item():.4f}"


for clip in (False, True):
    print(f"clip={clip}")
    print("  one optimizer: ", train(together=True, clip=clip))
    print("  two optimizers:", train(together=False, clip=clip))
