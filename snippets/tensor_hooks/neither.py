import warnings

import torch

x = torch.tensor([0.0, 1.0, 2.0, 3.0], requires_grad=True)
y = torch.tensor([4.0, 5.0, 6.0, 7.0], requires_grad=True)
w = torch.tensor([1.0, 2.0, 3.0, 4.0], requires_grad=True)
z = x + y
o = w @ z
o.backward()

tensors = {"x": x, "y": y, "w": w, "z": z, "o": o}
for name, t in tensors.items():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        print(f"{name}: requires_grad={t.requires_grad} grad={t.grad}")
    for warning in caught:
        message = str(warning.message).split(". ")[0]
        print(f"  {warning.category.__name__}: {message}")
