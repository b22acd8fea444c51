import numpy as np
import torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
v = torch.tensor([3.0, 4.0], requires_grad=True)
parts = [w * 2, w * 3]

try:
    np.sum([part.numpy() for part in parts])
except RuntimeError as error:
    print("RuntimeError:", error)

total = np.sum([part.detach().numpy() for part in parts], axis=0)
(v * torch.from_numpy(total)).sum().backward()
print("numpy, v.grad:", v.grad)
print("numpy, w.grad:", w.grad)

v.grad = None
(v * torch.stack(parts).sum(0)).sum().backward()
print("stack, v.grad:", v.grad)
print("stack, w.grad:", w.grad)
