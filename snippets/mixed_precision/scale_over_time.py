import matplotlib.pyplot as plt
import torch

slope = 3.0
layer = torch.nn.Linear(1, 1, bias=False)
x = torch.ones(1, 1)
optimizer = torch.optim.SGD(layer.parameters(), lr=0.01)
scaler = torch.amp.GradScaler("cpu", growth_interval=5)

scales, crosses = [], []
for number in range(1, 21):
    optimizer.zero_grad()
    with torch.autocast("cpu", dtype=torch.float16):
        y = layer(x)
        loss = slope * y.float().sum()
    scale = scaler.get_scale()
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
    skipped = scaler.get_scale() < scale
    print(f"step {number}, scale {scale:g}: {'skipped' if skipped else 'taken'}")
    scales.append(scale)
    if skipped:
        crosses.append((number, scale))

limit = torch.finfo(torch.float16).max / slope
print(f"largest scale without overflow: {limit:g}")
plt.step(range(1, 21), scales, where="mid", marker=".", label="scale")
plt.axhline(limit, color="C3", ls="--", label="limit")
plt.plot(*zip(*crosses, strict=True), "x", ms=9, mew=2.5, color="C1", label="skipped")
plt.yscale("log", base=2)
heights = [4096, 16384, 65536, 262144]
plt.ylim(2**11, 2**20)
plt.yticks(heights, labels=map(str, heights))
plt.minorticks_off()
plt.xticks([1, 5, 10, 15, 20])
plt.xlabel("step")
plt.ylabel("scale")
plt.legend(loc="upper right", ncols=3)
plt.show()
