import torch
from torch.nn.utils import clip_grad_norm_

w = torch.nn.Parameter(torch.tensor(1.0))
optimizer = torch.optim.Adam([w], lr=0.1)
skipped = 0
for slope in (1.0, float("nan"), 1.0):
    optimizer.zero_grad()
    loss = slope * w
    loss.backward()
    norm = clip_grad_norm_([w], max_norm=10.0)
    if norm.isfinite():
        optimizer.step()
    else:
        skipped += 1
    print(f"slope {slope}, w: {w.item():.4f}")
    print("  steps:", int(optimizer.state[w]["step"]))
print("skipped:", skipped)
