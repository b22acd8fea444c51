import math

for share in (1.0, 0.5, 0.25, 0.01):
    print(f"share {share}: loss {math.log(1 / share):.4f}")
