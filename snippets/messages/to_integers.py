import torch

layer = torch.nn.Linear(1, 1, bias=False)
torch.nn.init.constant_(layer.weight, 2.0)
try:
    layer.to(torch.int64)
except TypeError as error:
    print("to(int64):", error)

x = torch.tensor([3])
layer(x.float()).sum().backward()
print("x.float(), weight.grad:", layer.weight.grad)
