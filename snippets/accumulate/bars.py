import matplotlib.pyplot as plt
import torch
from torch import nn

x = torch.tensor([1.0, 2.0, 3.0, 4.0])
target = torch.tensor([3.0, 5.0, 7.0, 9.0])
w = torch.tensor(1.0, requires_grad=True)
mse = nn.MSELoss()


def gradients(parts, divisor):
    losses = [mse(w * x[p], target[p]) / divisor for p in parts]
    return [torch.autograd.grad(loss, w)[0].item() for loss in losses]


whole = [slice(0, 4)]
halves = [slice(0, 2), slice(2, 4)]
rows = {
    "one batch of 4": gradients(whole, 1),
    "two of 2": gradients(halves, 1),
    "two of 2, divided": gradients(halves, 2),
}
for row, (name, pieces) in enumerate(rows.items()):
    print(f"{name}: {' + '.join(map(str, pieces))} = {sum(pieces)}")
    start = 0.0
    for number, piece in enumerate(pieces):
        height = row + 0.2 * number - 0.1 * (len(pieces) - 1)
        plt.barh(height, piece, 0.2, left=start, color=f"C{number}")
        start += piece
    plt.plot((start, start), (row - 0.35, row + 0.35), "-", color="#111100")
plt.plot(sum(rows["two of 2, divided"]), 2, "o", ms=8, color="C1", gid="ball")
plt.axvline(0, lw=0.8, color="#111105")
plt.axvline(sum(rows["one batch of 4"]), ls=":", lw=1, color="#111105")
plt.yticks(range(3), rows)
plt.ylim(2.6, -0.6)
plt.xlim(-75, 55)
plt.xlabel("gradient")
plt.show()
