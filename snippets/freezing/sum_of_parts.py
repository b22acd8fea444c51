import numpy as np
import torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
parts = [w * 3, w * 4]

stacked = torch.stack(parts).sum(0)
print("stack, value:", stacked.detach(), "requires_grad:", stacked.requires_grad)

array = np.sum([part.detach().numpy() for part in parts], axis=0)
summed = torch.from_numpy(array)
print("numpy, value:", summed, "requires_grad:", summed.requires_grad)

stacked.sum().backward()
print("stack, w.grad:", w.grad)
