import torch
from torch import nn
from torch.nn.utils.parametrizations import orthogonal, spectral_norm, weight_norm

for method in (weight_norm, spectral_norm, orthogonal):
    torch.manual_seed(0)
    layer = nn.Linear(2, 2, bias=False)
    optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
    method(layer)
    layer.eval()
    before = layer.weight.detach()
    layer(torch.tensor([[1.0, 2.0]]))[0, 0].backward()
    optimizer.step()
    moved = not torch.allclose(layer.weight, before)
    print(f"{method.__name__}: moved {moved}")
