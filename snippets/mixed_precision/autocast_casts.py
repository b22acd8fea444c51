import torch
from torch.nn.functional import mse_loss

layer = torch.nn.Linear(2, 1, bias=False)
w = layer.weight
torch.nn.init.ones_(w)
x = torch.tensor([[1.0, 2.0]])
target = torch.tensor([[1.0]])

with torch.autocast("cpu", dtype=torch.bfloat16):
    y = layer(x)
    loss = mse_loss(y, target)
loss.backward()

print(f"w: {w.dtype}")
print(f"y: {y.dtype}")
print(f"loss: {loss.dtype}")
print(f"w.grad: {w.grad.dtype} {w.grad.tolist()}")
