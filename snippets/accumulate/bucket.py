import matplotlib.pyplot as plt
import torch

clear_before = 4
w = torch.tensor(1.0, requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.1)

ticks, pieces = [], []
plt.figure(figsize=(4.6, 3.2))
for call, x in enumerate((3.0, 2.0, 4.0, 1.0, 5.0), 1):
    if call == clear_before:
        optimizer.zero_grad()
        print("zero_grad(), w.grad:", w.grad)
        plt.text(len(ticks), 0.4, str(w.grad), ha="center")
        ticks.append("zero_grad")
        pieces = []
    before = 0.0 if w.grad is None else w.grad.item()
    (w * x).backward()
    print(f"backward {call}, w.grad:", w.grad.item())
    pieces.append((call, before, w.grad.item()))
    for number, low, high in pieces:
        plt.bar(len(ticks), high - low, 0.6, low, color=f"C{number - 1}", alpha=0.5)
        plt.text(len(ticks), (low + high) / 2, f"{high - low:g}", ha="center", va="center")
    plt.text(len(ticks), w.grad + 0.4, f"{w.grad:g}", ha="center", weight="bold")
    ticks.append(str(call))

for at in range(len(ticks)):
    left, right = at - 0.34, at + 0.34
    plt.plot((left, left, right, right), (16, 0, 0, 16), "-", lw=1.5, color="#111100")
plt.xticks(range(len(ticks)), ticks)
plt.ylim(-0.2, 17)
plt.xlabel("backward")
plt.ylabel("w.grad")
plt.show()
