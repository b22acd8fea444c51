import matplotlib.pyplot as plt
import torch

pictures = """
0651143213320550 0571062216320550 0670164106420560
0360176005600470 0180068004800180 0191178003800181
0380047017300582 0610034001500564 0730025004200762
"""
rows = [[int(n) for n in p] for p in pictures.split()]
x = torch.tensor(rows) / 9
digit = torch.tensor([0.0, 0, 0, 1, 1, 1, 2, 2, 2])
for name in ("not cleared", "cleared"):
    w = torch.zeros(16, requires_grad=True)
    losses = []
    for _ in range(61):
        loss = (x @ w - digit).square().mean()
        loss.backward()
        with torch.no_grad():
            w -= 0.1 * w.grad
        if name == "cleared":
            w.grad = None
        losses.append(loss.item())
    print(f"{name}, last loss: {losses[-1]:.2f}")
    plt.plot(losses, label=name)
plt.xlabel("step")
plt.ylabel("loss")
plt.ylim(0, 2.5)
plt.legend(loc="upper right")
plt.show()
