import torch
from torch.func import grad, jacrev


def squares(x):
    return x**2


x = torch.tensor([1.0, 2.0])
try:
    grad(squares)(x)
except RuntimeError as error:
    print("grad:", error)

print("grad of the sum:", grad(lambda x: squares(x).sum())(x))
print("jacrev:", jacrev(squares)(x).tolist())
print("second derivatives:", jacrev(jacrev(squares))(x).tolist())
