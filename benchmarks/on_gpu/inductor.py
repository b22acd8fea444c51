"""What `torch.compile` with inductor computes on a GPU, next to eager, in three dtypes."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(64, 64), nn.GELU(), nn.Linear(64, 1)).cuda()
x = torch.randn(32, 64, device="cuda")


def gradient(function, dtype):
    model.zero_grad()
    with torch.autocast("cuda", dtype=dtype, enabled=dtype is not torch.float32):
        function(x).float().pow(2).mean().backward()
    return model[0].weight.grad.clone()


compiled = torch.compile(model)
for dtype in (torch.float32, torch.bfloat16, torch.float16):
    eager, fast = gradient(model, dtype), gradient(compiled, dtype)
    gap = (eager - fast).norm() / eager.norm()
    print(f"{dtype}: equal {torch.equal(eager, fast)}, relative distance {gap.item():.0e}")
