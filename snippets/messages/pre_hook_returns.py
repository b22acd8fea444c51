import torch


def one_value(module, args, kwargs):
    return args


def a_pair(module, args, kwargs):
    return (2 * args[0],), kwargs


layer = torch.nn.Linear(1, 1, bias=False)
torch.nn.init.constant_(layer.weight, 2.0)
x = torch.tensor([3.0])
handle = layer.register_forward_pre_hook(one_value, with_kwargs=True)
try:
    layer(x)
except RuntimeError as error:
    print("args alone:", error)
handle.remove()
layer.register_forward_pre_hook(a_pair, with_kwargs=True)
layer(x).sum().backward()
print("a pair, weight.grad:", layer.weight.grad)
