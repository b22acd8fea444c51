import warnings

import torch
from torch.autograd import gradcheck


def cube(w):
    return w * w * w


w32 = torch.tensor([2.0], requires_grad=True)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    try:
        gradcheck(cube, w32)
    except RuntimeError as error:
        print("float32:", error)
print("warning:", str(caught[0].message).strip())

eps = 1e-6
for dtype in (torch.float32, torch.float64):
    w = torch.tensor(2.0, dtype=dtype)
    up = cube(w + eps).item()
    down = cube(w - eps).item()
    print(dtype, f"up: {up:.9f} down: {down:.9f}")
    print(dtype, f"slope: {(up - down) / (2 * eps):.4f}")

w64 = torch.tensor([2.0], dtype=torch.float64, requires_grad=True)
print("float64:", gradcheck(cube, w64))
