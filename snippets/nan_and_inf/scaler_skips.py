import torch

w = torch.nn.Parameter(torch.tensor(1.0))
optimizer = torch.optim.Adam([w], lr=0.1)
scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
nan = float("nan")
for slope in (1.0, nan, nan, nan, 1.0):
    optimizer.zero_grad()
    scaler.scale(slope * w).backward()
    scaler.step(optimizer)
    scaler.update()
    print(f"slope {slope}, w: {w.item():.4f}")
    print("  scale:", scaler.get_scale())
