import torch

layer = torch.nn.Module()
base = torch.ones(2, requires_grad=True)
computed = torch.nn.Parameter(torch.zeros(2), requires_grad=False)
computed.add_(2 * base)
try:
    layer.register_parameter("w", computed)
except ValueError as error:
    print("computed:", error)

layer.register_parameter("base", torch.nn.Parameter(torch.ones(2)))
w = 2 * layer.base
w.sum().backward()
print("computed in forward, base.grad:", layer.base.grad)
