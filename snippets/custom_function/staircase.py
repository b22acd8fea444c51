import matplotlib.pyplot as plt
import torch


def straight(w):
    return w + (w.round() - w).detach()


w = torch.tensor(2.6, requires_grad=True)
y = w.round()
(true,) = torch.autograd.grad(y, w)
(replaced,) = torch.autograd.grad(straight(w), w)
print("y:", y.item())
print("slope of round:", true.item())
print("straight-through slope:", replaced.item())

at, height = w.item(), y.item()
stairs = torch.arange(5)
plt.hlines(stairs, stairs - 0.5, stairs + 0.5, color="C0", label="round")
ends = torch.tensor([-0.6, 0.6])
plt.plot(at + ends, height + true * ends, "C4-", lw=3, label="its slope")
plt.plot(at + ends, height + replaced * ends, "C1--", lw=3, label="straight through")
plt.plot(at, height, "o", ms=8, color="C1", gid="ball")
plt.xlim(-0.5, 4.5)
plt.ylim(-0.8, 4.8)
plt.xlabel("w")
plt.ylabel("y", rotation=0)
plt.legend(loc="upper left")
plt.show()
