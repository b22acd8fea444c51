import torch
from torch import nn

layer = nn.Linear(1, 1, bias=False)
nn.init.constant_(layer.weight, 3.0)
layer.register_full_backward_hook(
    lambda module, grad_input, grad_output: print("hook, grad_output:", grad_output[0])
)
x = torch.tensor([[2.0]], requires_grad=True)
try:
    nn.Sequential(layer, nn.ReLU(inplace=True))(x)
except RuntimeError as error:
    print("inplace=True:", str(error).split(". ")[0])

nn.Sequential(layer, nn.ReLU())(x).backward()
print("nn.ReLU(), x.grad:", x.grad)
