import warnings

import torch

x = torch.tensor(3.0, requires_grad=True)
w = torch.tensor(1 + 2j)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    (x * w).real.backward()
print("x real, x.grad:", x.grad)
print("warnings:", len(caught))

z = torch.tensor(3 + 0j, requires_grad=True)
(z * w).real.backward()
print("z complex, z.grad:", z.grad)
