import matplotlib.pyplot as plt
import torch

pictures = """
0651143213320550 0571062216320550 0670164106420560
0360176005600470 0180068004800180 0191178003800181
0380047017300582 0610034001500564 0730025004200762
"""
rows = [[int(n) for n in p] for p in pictures.split()]
x = torch.tensor(rows) / 9
print("pictures and pixels:", tuple(x.shape))
print("the first:", rows[0])

figure, axes = plt.subplots(3, 3)
for picture, ax in zip(x, axes.flat, strict=True):
    ax.imshow(picture.reshape(4, 4), cmap="gray_r", vmin=0, vmax=1)
    ax.set_axis_off()
plt.show()
