import warnings

import torch

x = torch.tensor(2.0, requires_grad=True)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    y = 3 * x
    y.grad = torch.tensor(7.0)
    y.backward()
    print("assigned, y.grad:", y.grad)
    print("x.grad:", x.grad)
    print("warnings:", len(caught))

    y = 3 * x
    y.retain_grad()
    y.backward()
    print("retain_grad(), y.grad:", y.grad)
