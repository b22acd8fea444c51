import warnings

import torch
from torch import nn

with torch.device("meta"):
    layer = nn.Linear(2, 2, bias=False)
try:
    layer.to("cpu")
except NotImplementedError as error:
    print(error)
weights = {"weight": torch.ones(2, 2)}
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    layer.load_state_dict(weights)
print("load_state_dict:", str(caught[0].message).split(", which")[0])

layer.to_empty(device="cpu")
layer.load_state_dict(weights)
print("after to_empty:", layer.weight.tolist())
