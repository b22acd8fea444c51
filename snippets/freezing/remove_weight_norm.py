from torch import nn
from torch.nn.utils.parametrizations import weight_norm
from torch.nn.utils.parametrize import remove_parametrizations

layer = weight_norm(nn.Linear(2, 1, bias=False))
remove_parametrizations(layer, "weight")
print("parameters:", [name for name, _ in layer.named_parameters()])
print("weight.is_leaf:", layer.weight.is_leaf)

layer.weight.requires_grad = False
print("weight.requires_grad:", layer.weight.requires_grad)
