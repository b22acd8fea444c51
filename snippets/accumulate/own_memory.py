import torch

x = torch.tensor([1.0, 7.0])
a, b = (torch.ones(2, requires_grad=True) for _ in range(2))
optimizer = torch.optim.SGD([a, b], lr=0.1)
for p in (a, b):
    p.grad = torch.zeros_like(p)

for step in range(2):
    optimizer.zero_grad(set_to_none=False)
    for _ in range(2):
        ((a[None] + b[None]) * x).sum().backward()
    print(f"step {step}, a.grad:", a.grad.tolist())
    print("  same memory:", a.grad.data_ptr() == b.grad.data_ptr())
