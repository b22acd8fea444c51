import matplotlib.pyplot as plt
import torch
from torch import nn


def run(way):
    layers = [nn.Linear(2, 2, bias=False) for _ in range(3)]
    front, part, head = layers
    part.train(way != "eval")
    part.requires_grad_(way != "frozen")
    y = front(torch.ones(1, 2))
    with torch.set_grad_enabled(way != "no_grad"):
        y = part(y)
    if way == "detach":
        y = y.detach()
    loss = head(y).sum()

    node = loss.grad_fn.next_functions[0][0]
    kept = []
    while node:
        y_kept, w_kept = node._saved_self is not None, node._saved_mat2 is not None
        kept.insert(0, "y" * y_kept + "W" * w_kept)
        node = node.next_functions[0][0]
    loss.backward()
    received = [layer.weight.grad is not None for layer in layers]
    return received, ["-"] * (3 - len(kept)) + kept


ways = ("nothing", "eval", "frozen", "detach", "no_grad")
print("way      front     part      head")
plt.figure(figsize=(4, 3.2))
for row, way in enumerate(ways):
    received, kept = run(way)
    cells = [".grad " * got + what for got, what in zip(received, kept, strict=True)]
    print(f"{way:8} {cells[0]:9} {cells[1]:9} {cells[2]}")
    reached = sum(what == "-" for what in kept)
    for at in range(3):
        color, alpha = ("C1", 0.5) if received[at] else ("C4", 0.15)
        plt.bar(at, 0.64, 0.5, row - 0.32, color=color, alpha=alpha)
        plt.text(at, row - 0.12, "W" * ("W" in kept[at]), ha="center", va="center")
        plt.text(at - 0.4, row - 0.12, "y" * ("y" in kept[at]), ha="center", va="center")
    line = {"arrowstyle": "->", "color": "#111100"}
    plt.annotate("", (reached - 0.4, row + 0.16), (2.65, row + 0.16), arrowprops=line)
plt.axis((-0.6, 2.7, 4.5, -0.5))
plt.xticks(range(3), ["front", "part", "head"])
plt.yticks(range(5), ways)
plt.tick_params(length=0)
plt.box(False)
plt.gca().xaxis.tick_top()
plt.show()
