import torch

w = torch.nn.Parameter(torch.tensor(1.0))
b = torch.nn.Parameter(torch.tensor(2.0))
try:
    torch.optim.SGD([{"params": {w, b}}], lr=0.1)
except TypeError as error:
    print("a set:", error)
try:
    torch.optim.SGD([w], lr=0.1).add_param_group([b])
except TypeError as error:
    print("a list as group:", error)
try:
    torch.optim.LBFGS([{"params": [w]}, {"params": [b]}])
except ValueError as error:
    print("LBFGS:", error)

optimizer = torch.optim.SGD([w], lr=0.1)
optimizer.add_param_group({"params": [b], "lr": 0.01})
print("rates:", [group["lr"] for group in optimizer.param_groups])
