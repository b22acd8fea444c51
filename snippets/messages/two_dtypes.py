import torch

x = torch.ones(1, 2, dtype=torch.float64)
with_bias = torch.nn.Linear(2, 1)
without = torch.nn.Linear(2, 1, bias=False)
torch.nn.init.ones_(without.weight)
for layer in (with_bias, without):
    try:
        layer(x)
    except RuntimeError as error:
        print("float64 data:", error)

without(x.float()).sum().backward()
print("float32 data, weight.grad:", without.weight.grad)
