import warnings

import torch

x = torch.tensor([1.0, 2.0])
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    torch.tensor(x)
    print("torch.tensor(x):", caught[0].message)
    caught.clear()
    copy = x.detach().clone()
    print("x.detach().clone():", copy, "warnings:", len(caught))
