import torch

torch.set_default_dtype(torch.float32)
h = 0.001
for rate in (1.0, 10.0, 30.0):
    z = torch.tensor(8.0)
    for _ in range(1000):
        z = z - h * rate * (z - 5)
    end = z
    for _ in range(1000):
        z = z + h * rate * (z - 5)
    print(f"rate: {rate}, end: {end:.4f}, back at the start: {z:.4f}")
