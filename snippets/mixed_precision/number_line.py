import matplotlib.pyplot as plt
import torch
from torch import nn

scale = 1.0
torch.manual_seed(0)
layers = [layer for _ in range(3) for layer in (nn.Linear(64, 64), nn.Sigmoid())]
model = nn.Sequential(*layers, nn.Linear(64, 1))
loss = 0.1 * model(torch.randn(64, 64)).square().mean()
loss.backward()

grads = torch.cat([w.grad.flatten() for w in model.parameters()])
grads = grads[grads != 0] * scale
half = grads.half()
print(f"rounded to 0: {(half == 0).double().mean():.1%}")
print(f"inf: {half.isinf().double().mean():.1%}")

sizes = grads.abs().log2()
kept = (half != 0) & half.isfinite()
bins = range(-60, 41)
plt.hist([sizes[kept], sizes[~kept]], bins, stacked=True, color=["C1", "#111105"])
plt.plot(sizes.median(), -60, "o", ms=8, color="C1", gid="ball")
plt.axvspan(-14, 16, ymax=0.06, color="C0", alpha=0.6)
plt.axvspan(-25, -14, ymax=0.06, color="C0", alpha=0.25)
for edge in (-25, 16):
    plt.axvline(edge, lw=1, color="#111100")
plt.text(-42, 1850, "becomes 0", ha="center")
plt.text(-4, 1850, "float16", ha="center")
plt.text(28, 1850, "becomes inf", ha="center")
plt.xlim(-60, 40)
plt.ylim(-120, 2000)
plt.xlabel("log2 of the scaled gradient")
plt.ylabel("gradients")
plt.show()
