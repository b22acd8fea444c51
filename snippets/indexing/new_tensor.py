import warnings

import torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
parts = [3 * w[0], 5 * w[1]]
stacked = torch.stack(parts)
print("torch.stack:", stacked.requires_grad)
stacked.sum().backward()
print("w.grad:", w.grad)

with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    copied = torch.tensor(parts)
print("torch.tensor:", copied.requires_grad)
print(str(caught[0].message).splitlines()[0])
