import torch

layer = torch.nn.Linear(2, 1, bias=False)
x = torch.tensor([3.0, 4.0])
try:
    layer.register_hook(print)
except AttributeError as error:
    print("on the module:", error)

layer.weight.register_hook(lambda grad: print("on its weight:", grad))
y = layer(x)
y.register_hook(lambda grad: print("on its output:", grad))
(5 * y).sum().backward()
