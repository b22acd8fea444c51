import torch

x = torch.tensor([1.0, 7.0])
a, b, c = (torch.ones(2, requires_grad=True) for _ in range(3))
for micro_batch in range(2):
    ((a[None] + b[None] + c[None]) * x).sum().backward()
    print(f"pass {micro_batch}, a.grad:", a.grad.tolist())
