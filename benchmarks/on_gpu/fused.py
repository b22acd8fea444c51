"""Which implementation an optimizer takes on a GPU, and how much memory a step needs."""

import torch

for settings in ({}, {"foreach": False}, {"foreach": True}, {"fused": True}):
    params = [torch.ones(1024, 1024, device="cuda", requires_grad=True) for _ in range(64)]
    optimizer = torch.optim.AdamW(params, lr=0.5, weight_decay=0.0, **settings)
    for p in params:
        p.grad = torch.ones_like(p)
    optimizer.step()
    torch.cuda.synchronize()
    before = torch.cuda.memory_allocated()
    torch.cuda.reset_peak_memory_stats()
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    start.record()
    optimizer.step()
    end.record()
    torch.cuda.synchronize()
    extra = (torch.cuda.max_memory_allocated() - before) / 2**20
    print(f"{settings}: w {params[0][0, 0].item():.4f}, {extra:.0f} MiB for the step")
    print(f"  {start.elapsed_time(end):.2f} ms")
    del params, optimizer
