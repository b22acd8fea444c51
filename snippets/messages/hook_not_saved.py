import io
import warnings

import torch


class Negate:
    def __call__(self, grad):
        return -grad

    def __repr__(self):
        return "Negate()"


w = torch.tensor([2.0], requires_grad=True)
w.register_hook(Negate())
file = io.BytesIO()
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    torch.save(w, file)
    print(str(caught[0].message).split(".  ")[0])
file.seek(0)
loaded = torch.load(file)
loaded.sum().backward()
print("loaded, without the hook:", loaded.grad)
loaded.grad = None
loaded.register_hook(Negate())
loaded.sum().backward()
print("registered again:", loaded.grad)
