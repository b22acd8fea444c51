import torch

w = torch.tensor(2.0, requires_grad=True)

y = w * 3
cut = y.detach()
print("y.requires_grad:", y.requires_grad)
print("cut.requires_grad:", cut.requires_grad)

(y * cut).backward()
print("y * cut, w.grad:", w.grad)

y = w * 3
y.detach_()
print("y without its graph, y.requires_grad:", y.requires_grad)

with torch.no_grad():
    target = w * 3
print("target.requires_grad:", target.requires_grad)
