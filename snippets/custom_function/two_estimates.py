import torch

torch.manual_seed(0)
noise = torch.randn(1_000_000, dtype=torch.float64)
mu = 1.0
z = mu + noise
loss = z**2

estimates = {
    "rsample": 2 * z,
    "REINFORCE": loss * (z - mu),
    "minus 2": (loss - 2) * (z - mu),
}
for name, each in estimates.items():
    mean = each.mean().item()
    variance = each.var().item()
    print(f"{name}, mean: {mean:.2f}, variance: {variance:.1f}")
