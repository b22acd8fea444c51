import torch

# bfloat16: about last digits

for dtype in (torch.float32, torch.bfloat16):
    A = torch.ones(1, dtype=dtype, requires_grad=True)
    B = torch.zeros(1, dtype=dtype, requires_grad=True)
    optimizer = torch.optim.AdamW([A, B], lr=0.0001, weight_decay=0.0)
    for _ in range(1000):
        A.grad, B.grad = -torch.ones_like(A), -torch.ones_like(B)
        optimizer.step()
    print(f"{dtype} A: {A.item():.6f}, B: {B.item():.6f}")
