import torch

for dtype in (torch.float32, torch.bfloat16, torch.float16):
    x = torch.tensor(0.0001, dtype=dtype)
    w = torch.tensor(1.0, dtype=dtype, requires_grad=True)
    error = (w * x).float()
    loss = error**2
    loss.backward()
    print(f"{dtype} w.grad: {w.grad.item():.2e}")
