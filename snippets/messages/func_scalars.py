import torch


def squares(x):
    return x**2


x = torch.tensor([1.0, 2.0])
try:
    torch.func.grad(squares)(x)
except RuntimeError as error:
    print("func.grad:", error)
try:
    torch.autograd.functional.hessian(squares, x)
except RuntimeError as error:
    print("hessian:", error)


def total(x):
    return squares(x).sum()


print("grad of a sum:", torch.func.grad(total)(x))
print("hessian of a sum:", torch.autograd.functional.hessian(total, x).tolist())
