"""Mixed precision: autocast, a scaled loss, unscaling before clipping, accumulation."""

import torch
from torch import nn

torch.manual_seed(15)
ACCUMULATE = 2

model = nn.Sequential(
    nn.Linear(16, 64), nn.GELU(), nn.LayerNorm(64), nn.Linear(64, 64), nn.GELU(), nn.Linear(64, 4)
)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
scaler = torch.amp.GradScaler("cpu", init_scale=1024.0, growth_interval=2)
criterion = nn.MSELoss()
batches = [(torch.randn(32, 16), torch.randn(32, 4)) for _ in range(8)]

optimizer.zero_grad()
for number, (inputs, targets) in enumerate(batches):
    with torch.autocast("cpu", dtype=torch.bfloat16):
        output = model(inputs)
        loss = criterion(output.float(), targets) / ACCUMULATE
    scaler.scale(loss).backward()
    if (number + 1) % ACCUMULATE:
        continue
    scaler.unscale_(optimizer)
    norm = nn.utils.clip_grad_norm_(model.parameters(), max_norm=0.5)
    print(f"batch {number}: loss {loss.item() * ACCUMULATE:.4f}, norm {norm.item():.4f}")
    print("model.5.bias.grad", model[5].bias.grad)
    print(f"model.0.weight.grad.norm() {model[0].weight.grad.norm():.4f}")
    scaler.step(optimizer)
    scaler.update()
    print("scale:", scaler.get_scale())
    optimizer.zero_grad()
