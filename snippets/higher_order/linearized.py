import warnings

import torch
from torch.func import jvp, linearize

warnings.simplefilter("ignore")
calls = 0


def f(w):
    global calls
    calls += 1
    return w * w


w = torch.tensor([2.0, 3.0])
directions = torch.tensor([[1.0, 0.0], [0.0, 1.0], [0.5, 0.0]])
for v in directions:
    print("jvp:", jvp(f, (w,), (v,))[1].tolist())
print("calls of f:", calls)

calls = 0
y, along = linearize(f, w)
for v in directions:
    print("linearized:", along(v).tolist())
print("calls of f:", calls)
print("y + J v:", (y + along(directions[2])).tolist())
print("f(w + v):", f(w + directions[2]).tolist())
