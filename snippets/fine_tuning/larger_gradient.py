import torch

# bfloat16: about last digits

A = torch.ones(1, dtype=torch.bfloat16, requires_grad=True)
optimizer = torch.optim.AdamW([A], lr=0.0001, weight_decay=0.0)
for _ in range(1000):
    A.grad = torch.full_like(A, -100.0)
    optimizer.step()
print(f"{A.dtype} gradient 100: A {A.item()}")
