import warnings

import torch

layer = torch.nn.Linear(1, 1, bias=False)
torch.nn.init.constant_(layer.weight, 2.0)
(layer(torch.tensor([30.0]))).sum().backward()
parameters = layer.parameters()
print("first use, parameters:", len(list(parameters)))
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    torch.nn.utils.clip_grad_norm_(parameters, max_norm=1.0)
    print("second use:", caught[0].message)
print("weight.grad:", layer.weight.grad)
torch.nn.utils.clip_grad_norm_(layer.parameters(), max_norm=1.0)
print("asked again, weight.grad:", layer.weight.grad)
