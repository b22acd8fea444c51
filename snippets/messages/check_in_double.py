import warnings

import torch
from torch.autograd import gradcheck


def cube(x):
    return x * x * x


for dtype in (torch.float32, torch.float64):
    x = torch.tensor([2.0], dtype=dtype, requires_grad=True)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        right = gradcheck(cube, x, raise_exception=False)
    print(f"{dtype}, passed:", right)
    for warning in caught:
        print("  warning:", str(warning.message).split(". ")[0])
