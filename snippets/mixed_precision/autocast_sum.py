import torch

layer = torch.nn.Linear(1, 1, bias=False)
torch.nn.init.ones_(layer.weight)
x = torch.ones(257, 1)

with torch.autocast("cpu", dtype=torch.bfloat16):
    y = layer(x)
    total = y.sum()  # rounded to the last bits
    total32 = y.float().sum()

print(f"y.sum(): {total.item():g}")
print(f"y.float().sum(): {total32.item():g}")
