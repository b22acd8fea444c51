import torch

for dtype in (torch.float32, torch.bfloat16, torch.float16):
    w = torch.tensor(1.0, dtype=dtype)
    for _ in range(100):
        moved = w.item() - 0.001
        w = torch.tensor(moved, dtype=dtype)
    print(f"{dtype} w: {w.item():.4f}")
