import warnings

import torch

z = torch.tensor([1.0 + 2.0j], requires_grad=True)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    z.to(torch.float32).sum().backward()
    warning = str(caught[0].message).split(" (Triggered")[0]
    print("to(float32):", warning)
    print("z.grad:", z.grad)
    caught.clear()
    z.grad = None
    z.real.sum().backward()
    print("real, z.grad:", z.grad, "warnings:", len(caught))
