import warnings

import torch

x = torch.tensor([1.0, 2.0, 3.0, 4.0], requires_grad=True)
y = torch.tensor([3.0, 4.0, 5.0, 6.0], requires_grad=True)
w = torch.tensor([1.0, 2.0, 3.0, 4.0], requires_grad=True)
c = torch.ones(4) + 1
z = x + y
o = w @ z
o.backward()

named = {"x": x, "y": y, "w": w, "c": c, "z": z, "o": o}
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    for name, t in named.items():
        flags = f"requires_grad={t.requires_grad}"
        flags += f" is_leaf={t.is_leaf}"
        print(f"{name}: {flags} grad={t.grad}")

print("warnings:", len(caught))
print(str(caught[0].message).split(" If you")[0])
