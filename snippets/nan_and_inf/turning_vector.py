import torch

for gap in (1.0, 0.125, 0.0078125):
    t = torch.tensor(0.0, dtype=torch.float64, requires_grad=True)
    zero = torch.zeros((), dtype=torch.float64)
    a = torch.stack([zero + 2, t, t, zero + 2 + gap]).reshape(2, 2)
    values, vectors = torch.linalg.eigh(a)
    v = vectors[:, 0]
    (slope,) = torch.autograd.grad((v[1] / v[0]), t, retain_graph=True)
    (of_values,) = torch.autograd.grad(values.sum(), t)
    print(
        f"gap {gap}: the vector turns by {slope.item():.4g}, the values by {of_values.item():.4g}"
    )
