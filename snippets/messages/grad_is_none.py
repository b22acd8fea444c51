import torch

used = torch.tensor(3.0, requires_grad=True)
unused = torch.tensor(5.0, requires_grad=True)
parameters = [used, unused]
(used**2).backward()
try:
    norms = [p.grad.norm().item() for p in parameters]
except AttributeError as error:
    print("all parameters:", error)

norms = [p.grad.norm().item() for p in parameters if p.grad is not None]
print("those with a gradient:", norms)
