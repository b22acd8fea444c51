import warnings

import torch

w = torch.tensor(0.0, requires_grad=True)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    with torch.autograd.detect_anomaly():
        (w**2).backward()
    print(caught[0].message)
print("outside the block:", torch.is_anomaly_enabled())
