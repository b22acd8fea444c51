import torch


def naive(x):
    return x.exp().sum().log()


def shifted(x):
    largest = x.max()
    return largest + (x - largest).exp().sum().log()


def built_in(x):
    return torch.logsumexp(x, dim=0)


print("exp(88):", torch.tensor(88.0).exp())
print("exp(89):", torch.tensor(89.0).exp())
for f in (naive, shifted, built_in):
    x = torch.tensor([88.0, 89.0], requires_grad=True)
    total = f(x)
    total.backward()
    print(f"{f.__name__}: {total.item():.4f}")
    print("  x.grad:", x.grad)
