import warnings

import torch

w = torch.tensor(2.0, requires_grad=True)
h = 3 * w
(h**2).backward()
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    print("h.grad:", h.grad)
print("warning:", str(caught[0].message).split(" If you")[0])

h = 3 * w
h.retain_grad()
(h**2).backward()
print("after retain_grad(), h.grad:", h.grad)
