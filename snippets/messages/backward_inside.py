import torch


def with_backward(x):
    w = torch.tensor(2.0, requires_grad=True)
    (w * x).backward()
    return w.grad * x


def with_grad(x):
    w = torch.tensor(2.0)
    return torch.func.grad(torch.mul)(w, x) * x


try:
    torch.func.grad(with_backward)(torch.tensor(3.0))
except RuntimeError as error:
    print("backward inside:", error)
print("func.grad inside:", torch.func.grad(with_grad)(torch.tensor(3.0)))
