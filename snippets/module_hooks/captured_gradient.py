import torch
from torch import nn

fc1, relu, fc2 = nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 1)
rows = [[1, 2, 3], [-4, -5, -6], [7, 8, 9], [-10, -11, -12]]
with torch.no_grad():
    fc1.weight.copy_(torch.tensor(rows))
    fc1.bias.copy_(torch.tensor([1.0, 2.0, 3.0, 4.0]))
    fc2.weight.copy_(torch.tensor([[1.0, 2.0, 3.0, 4.0]]))
    fc2.bias.fill_(1.0)
kept = []


def keep(module, args, output):
    output.retain_grad()
    kept.append(output)


fc1.register_forward_hook(keep)
relu.register_forward_hook(keep)
nn.Sequential(fc1, relu, fc2)(torch.ones(1, 3)).backward()
for name, output in zip(["fc1", "relu"], kept, strict=True):
    print(f"{name}, output:", output.detach())
    print(f"{name}, gradient:", output.grad)
print("relu, output * gradient:", (kept[1] * kept[1].grad).detach())
