import torch


def look(label, f, *start):
    print(label)
    for dtype in (torch.float32, torch.float64):
        x = torch.tensor(start, dtype=dtype, requires_grad=True)
        y = f(x)
        y.sum().backward()
        print(f"  value {y.tolist()}, gradient {x.grad.tolist()}")


def root_of_squares(x):
    return (x * x).sum().sqrt()


def hypot(x):
    return torch.hypot(x[0], x[1])


def cdist(x):
    return torch.cdist(x.reshape(1, 2), torch.zeros(1, 2).to(x))


look("sqrt at 0:", torch.sqrt, 0.0)
look("x ** 0.5 at 0:", lambda x: x**0.5, 0.0)
look("x ** 1.5 at 0:", lambda x: x**1.5, 0.0)
look("x ** 1.5 at -1:", lambda x: x**1.5, -1.0)
look("acos at 1:", torch.acos, 1.0)
look("root_of_squares at 0, 0:", root_of_squares, 0.0, 0.0)
look("hypot at 0, 0:", hypot, 0.0, 0.0)
look("vector_norm at 0, 0:", torch.linalg.vector_norm, 0.0, 0.0)
look("cdist at 0, 0:", cdist, 0.0, 0.0)
look("std at 1, 1:", torch.std, 1.0, 1.0)
