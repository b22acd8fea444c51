import warnings

import torch

w = torch.tensor(2.0, requires_grad=True)
loss = w**2
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    number = float(loss)
    warning = str(caught[0].message).split(" (Triggered")[0]
    print("float(loss):", warning)
    caught.clear()
    number = loss.item()
    print("loss.item():", number, "warnings:", len(caught))
