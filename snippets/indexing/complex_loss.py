import warnings

import torch

w = torch.tensor(3 + 4j, requires_grad=True)
try:
    (w * w).backward()
except RuntimeError as error:
    print("RuntimeError:", error)

(w.abs() ** 2).backward()
print("from abs() squared:", w.grad)

w.grad = None
w.real.backward()
print("from real:", w.grad)

w.grad = None
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    w.float().backward()
print("from float():", w.grad)
print(str(caught[0].message).split(" (")[0])
