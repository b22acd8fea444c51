import matplotlib.pyplot as plt
import torch
from torch.nn.utils import clip_grad_norm_

max_norm = 1.0
a = torch.tensor(0.0, requires_grad=True)
b = torch.tensor(0.0, requires_grad=True)
optimizer = torch.optim.SGD([a, b], lr=1)

loss = 3 * a + 4 * b
loss.backward()
before = (a.grad.item(), b.grad.item())
print("before clipping, a.grad:", before[0], "b.grad:", before[1])
clip_grad_norm_([a, b], max_norm=max_norm)
after = (a.grad.item(), b.grad.item())
print(f"after clipping, a.grad: {after[0]:.4f} b.grad: {after[1]:.4f}")
optimizer.step()
print(f"after step, a: {a.item():.4f} b: {b.item():.4f}")

plt.figure(figsize=(4, 4))
look = {"fill": False, "ls": "--", "ec": "#111101"}
plt.gca().add_patch(plt.Circle((0, 0), max(max_norm, 0), label="max_norm", **look))
plt.plot((0, before[0]), (0, before[1]), ":", color="C4", label="before clipping")
plt.plot((0, after[0]), (0, after[1]), color="C1", lw=3, label="after clipping")
plt.plot(*after, "o", ms=8, color="C1", gid="ball")
plt.axis("square")
plt.xlim(-6.5, 6.5)
plt.ylim(-6.5, 6.5)
plt.xlabel("a.grad")
plt.ylabel("b.grad")
plt.legend(loc="lower right")
plt.show()
