import torch


def shift(x):
    torch.manual_seed(0)
    coef = torch.nn.Parameter(torch.randn(1, 1, 40, 40))
    old = coef.detach().clone()
    optimizer = torch.optim.SGD([coef], lr=1)
    (coef * x + 2 * (coef * x)).mean().backward()
    optimizer.step()
    moved = torch.allclose(coef, old - coef.grad)
    mean_moved = torch.allclose(coef.mean(), old.mean() - coef.grad.mean())
    print(f"  max moved by {old.max() - coef.max():.6f}")
    print(f"  min moved by {old.min() - coef.min():.6f}")
    print(f"  max was element {old.argmax()}, now {coef.argmax()}")
    print(f"  min was element {old.argmin()}, now {coef.argmin()}")
    print("  each element: new == old - lr * grad:", moved)
    print("  mean: new == old - lr * mean of grad:", mean_moved)


print("input all ones:")
shift(torch.ones(1, 1, 40, 40))
print("input 0, 1, ..., 1599:")
shift(torch.arange(1600.0).reshape(1, 1, 40, 40))
