import torch

layer = torch.nn.Linear(1, 1, bias=False)
torch.nn.init.ones_(layer.weight)
x = torch.ones(1, 1)
optimizer = torch.optim.SGD(layer.parameters(), lr=0.25)

with torch.autocast("cpu", dtype=torch.bfloat16):
    y = layer(x)
    loss = (y.float() ** 2).sum()
    loss.backward()
    optimizer.step()
    print(f"w after the step: {layer.weight.item():g}")
    print(f"same block, layer(x): {layer(x).item():g}")

with torch.autocast("cpu", dtype=torch.bfloat16):
    print(f"new block, layer(x): {layer(x).item():g}")
