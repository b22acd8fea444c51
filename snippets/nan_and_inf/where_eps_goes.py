import torch


def inside(x):
    return torch.sqrt(x + 1e-8)


def outside(x):
    return torch.sqrt(x) + 1e-8


def clamped_above(x):
    return torch.sqrt(x.clamp(min=1e-8))


def clamped_at_the_edge(x):
    return torch.sqrt(x.clamp(min=0.0))


for f in (inside, outside, clamped_above, clamped_at_the_edge):
    x = torch.tensor(0.0, requires_grad=True)
    y = f(x)
    y.backward()
    print(f"{f.__name__}: {y.item():.2g}")
    print(f"  x.grad: {x.grad.item():g}")
