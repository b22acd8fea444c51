import matplotlib.pyplot as plt


def lines(w):
    price = 2 * w
    miss = price - 9
    return w, price, miss, miss**2


nudge = 0.25
before, after = lines(3.0), lines(3.0 + nudge)
changes = [new - old for old, new in zip(before, after, strict=True)]
names = ["w", "price", "miss", "loss"]
for name, change in zip(names, changes, strict=True):
    print(f"{name} changes by {change}")

plt.figure(figsize=(5, 1.9))
rows = [3, 2, 1, 0]
plt.hlines(rows, -7.5, 7.5, color="C4", linewidth=0.8)
plt.hlines(rows, 0, changes, color="C0", linewidth=5)
plt.plot(changes[1:], rows[1:], "o", color="C0", markersize=7)
plt.plot(changes[0], 3, "o", color="C1", markersize=9, gid="ball")
plt.yticks(rows, names)
plt.axvline(0, color="C4", linewidth=0.8)
plt.xlabel("change")
plt.show()
