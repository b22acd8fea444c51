import torch

layer = torch.nn.Linear(1, 1, bias=False)
torch.nn.init.ones_(layer.weight)
w = layer.weight
x = torch.ones(1, 1)
optimizer = torch.optim.SGD([w], lr=0.25)

for number in range(1, 4):
    optimizer.zero_grad()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        y = layer(x)
        loss = (y.float() ** 2).sum()
    loss.backward()
    optimizer.step()
    print(f"step {number}, w: {w.item():g}")
