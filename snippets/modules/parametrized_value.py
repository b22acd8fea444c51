import torch
from torch import nn
from torch.nn.utils import parametrize
from torch.nn.utils.parametrizations import orthogonal, spectral_norm


class Doubled(nn.Module):
    def forward(self, original):
        return 2 * original


for method in (spectral_norm, orthogonal, "Doubled"):
    torch.manual_seed(0)
    layer = nn.Linear(2, 2, bias=False)
    if method == "Doubled":
        parametrize.register_parametrization(layer, "weight", Doubled())
    else:
        layer = method(layer)
    name = getattr(method, "__name__", method)
    try:
        layer.weight = 4 * torch.eye(2)
        print(f"{name}:", [[round(v, 4) for v in row] for row in layer.weight.tolist()])
    except RuntimeError as error:
        print(f"{name}:", error)
