import torch
from torch import nn
from torch.func import functional_call, grad, replace_all_batch_norm_modules_, vmap

torch.manual_seed(0)
layer = nn.BatchNorm1d(2)
parameters = dict(layer.named_parameters())
x = torch.randn(3, 4, 2)


def loss(parameters, x):
    return functional_call(layer, parameters, (x,)).square().sum()


try:
    grad(loss)(parameters, x[0])
except RuntimeError as error:
    print("grad:", str(error).split(";")[0])
try:
    vmap(layer)(x)
except RuntimeError as error:
    print("vmap:", str(error).splitlines()[0])

replace_all_batch_norm_modules_(layer)
print("track_running_stats:", layer.track_running_stats)
print("grad of the weight:", grad(loss)(parameters, x[0])["weight"].shape)
per_set = vmap(grad(loss), in_dims=(None, 0))(parameters, x)
print("for each of the 3 sets:", per_set["weight"].shape)
