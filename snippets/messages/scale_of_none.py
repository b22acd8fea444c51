import torch

unused = torch.tensor(5.0, requires_grad=True)
used = torch.tensor(3.0, requires_grad=True)
(used**2).backward()
try:
    for p in [unused, used]:
        p.grad *= 0.5
except TypeError as error:
    print("all parameters:", error)

for p in [unused, used]:
    if p.grad is not None:
        p.grad *= 0.5
print("those with a gradient, used.grad:", used.grad)
