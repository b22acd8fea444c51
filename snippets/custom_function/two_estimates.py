import matplotlib.pyplot as plt
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
for row, (name, each) in enumerate(estimates.items()):
    mean = each.mean().item()
    variance = each.var().item()
    print(f"{name}, mean: {mean:.2f}, variance: {variance:.1f}")
    spread = row + 0.5 * torch.rand(120) - 0.25
    plt.plot(each[:120], spread, ".", ms=3, alpha=0.6)
    plt.plot(mean, row, "s", color="#111100", gid=None if row else "ball")
plt.yticks(range(3), estimates)
plt.ylim(2.5, -0.5)
plt.xlim(-40, 80)
plt.xlabel("estimate from one draw")
plt.show()
