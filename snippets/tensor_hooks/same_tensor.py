import operator

import torch

for combine in (operator.add, operator.sub, operator.mul):
    c = torch.tensor(6.0, requires_grad=True)
    d = torch.tensor(4.0, requires_grad=True)
    seen = []
    c.register_hook(seen.append)
    d.register_hook(seen.append)
    combine(c, d).backward()
    print(f"{combine.__name__}, same gradient:", seen[0] is seen[1])
    print("  c.grad is d.grad:", c.grad is d.grad)
