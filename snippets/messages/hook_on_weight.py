import warnings

import torch
from torch import nn

layer = nn.Linear(2, 1)
handle = layer.register_full_backward_hook(
    lambda module, grad_input, grad_output: print("hook of the module, grad_input:", grad_input)
)
data = torch.tensor([[3.0, 5.0]])
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    layer(data).sum().backward()
    print("warning:", str(caught[0].message).split(". ")[0])
    caught.clear()
    handle.remove()
    layer.weight.register_hook(lambda grad: print("hook of the weight:", grad))
    layer(data).sum().backward()
    print("warnings:", len(caught))
