import warnings

import torch
from torch import nn


class Model(nn.Module):
    def forward(self, x):
        return {"double": 2 * x}


model = Model()
handle = model.register_full_backward_hook(lambda *_: print("hook of the module"))
w = torch.tensor(3.0, requires_grad=True)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    model(w)["double"].backward()
    print("a dict:", str(caught[0].message).split(" but ")[0])

handle.remove()
output = model(w)["double"]
output.register_hook(lambda grad: print("hook of the tensor:", grad))
(5 * output).backward()
