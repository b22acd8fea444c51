import matplotlib.pyplot as plt
import torch


def with_slopes(w):
    y = w**3
    (slope,) = torch.autograd.grad(y.sum(), w, create_graph=True)
    (second,) = torch.autograd.grad(slope.sum(), w)
    return y.detach(), slope.detach(), second


w = torch.tensor(5.0, requires_grad=True)
everywhere = torch.linspace(-3, 6, 100, requires_grad=True)
numbers = with_slopes(w)
curves = with_slopes(everywhere)

figure, panels = plt.subplots(3, sharex=True, figsize=(5, 5))
at, ends = w.item(), torch.tensor([-1.0, 1.0])
for row, name in enumerate(("y", "slope", "its slope")):
    panel, number = panels[row], numbers[row]
    print(f"{name}: {number.item()}")
    panel.axhline(0, lw=0.8, color="#111105")
    panel.plot(everywhere.detach(), curves[row])
    if row < 2:
        panel.plot(at + ends, number + numbers[row + 1] * ends, "C1-")
    panel.plot(at, number, "o", ms=8, color="C1", gid=None if row else "ball")
    panel.set_ylabel(name)
    panel.set_xlim(-4.2, 7.2)
panels[-1].set_xlabel("w")
plt.show()
