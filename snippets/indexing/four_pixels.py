import matplotlib.pyplot as plt
import torch
import torch.nn.functional as F

column = 1.25
row = 1.75
image = torch.zeros(1, 1, 4, 4, requires_grad=True)
x, y = 2 * column / 3 - 1, 2 * row / 3 - 1
grid = torch.tensor([x, y]).view(1, 1, 1, 2)
value = F.grid_sample(image, grid, align_corners=True)
value.sum().backward()
shares = image.grad[0, 0]
print("image.grad:")
print(shares)

plt.figure(figsize=(3.6, 3.6))
for i in range(4):
    for j in range(4):
        share = shares[i, j].item()
        plt.bar(j, 0.94, 0.94, i - 0.47, color="C0", alpha=0.08 + 0.7 * share)
        if share > 0:
            above = i - 0.32 if i < row else i + 0.32
            plt.text(j, above, f"{share:.4f}", ha="center", va="center")
            plt.plot((column, j), (row, i), "-", lw=1, color="C1")
plt.plot(column, row, "o", ms=9, color="C1", gid="ball")
plt.axis("square")
plt.xlim(-0.5, 3.5)
plt.ylim(3.5, -0.5)
plt.xticks(range(4))
plt.yticks(range(4))
plt.xlabel("column")
plt.ylabel("row")
plt.show()
