import torch

torch.manual_seed(0)
noise = torch.randn(1_000_000, dtype=torch.float64)
z = 1.0 + noise
for baseline in (0, 2, 4, 6):
    each = (z**2 - baseline) * (z - 1.0)
    print("baseline:", baseline)
    print(f"  mean: {each.mean().item():.1f}")
    print(f"  variance: {each.var().item():.0f}")
