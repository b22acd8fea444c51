import numpy as np
import torch

with np.errstate(divide="ignore"):
    print("NumPy, log of 0:", np.log(np.float32(0)))

p = torch.tensor([0.0, 0.5], requires_grad=True)
for name, q in (("p", p), ("clamped", p.clamp_min(1e-6))):
    p.grad = None
    loss = -torch.log(q).sum()
    loss.backward()
    print(f"{name}, loss: {loss.item():.4f}")
    print("  p.grad:", p.grad)
