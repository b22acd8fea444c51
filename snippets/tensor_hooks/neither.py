import warnings

import torch

x = torch.tensor([0.0, 1.0, 2.0, 3.0], requires_grad=True)
y = torch.tensor([4.0, 5.0, 6.0, 7.0], requires_grad=True)
w = torch.tensor([1.0, 2.0, 3.0, 4.0], requires_grad=True)
z = x + y
o = w @ z
o.backward()

for name, tensor in (("x", x), ("y", y), ("w", w), ("z", z), ("o", o)):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        print(f"{name}: requires_grad={tensor.requires_grad} grad={tensor.grad}")
    for warning in caught:
        print(f"  {warning.category.__name__}:", str(warning.message).split(". ")[0])
