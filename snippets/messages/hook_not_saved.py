import io
import warnings

import torch


def negate(grad):
    return -grad


w = torch.tensor([2.0], requires_grad=True)
w.register_hook(negate)
file = io.BytesIO()
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    torch.save(w, file)
    warning = str(caught[0].message).split("on tensor ")[1]
    print("backward hook of w on tensor", warning.split(".  ")[0])
file.seek(0)
loaded = torch.load(file)
loaded.sum().backward()
print("loaded, without the hook:", loaded.grad)
loaded.grad = None
loaded.register_hook(negate)
loaded.sum().backward()
print("registered again:", loaded.grad)
