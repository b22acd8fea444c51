import torch

for dtype in (torch.float32, torch.bfloat16):
    w = torch.ones(1, dtype=dtype, requires_grad=True)
    betas = (0.9, 0.999)
    optimizer = torch.optim.AdamW([w], 1e-4, betas, weight_decay=0.01, foreach=False)
    for step in range(2001):
        w.grad = torch.full_like(w, 1.0 if step == 0 else 0.0)
        optimizer.step()
        if step in (0, 2000):
            average = optimizer.state[w]["exp_avg_sq"]  # rounded in its last digits
            print(f"{dtype}, after step {step + 1}: exp_avg_sq {average.item():.6f}")
