import numpy as np
import torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
parts = [w * 3, w * 4]

stacked = torch.stack(parts).sum(0)
print("stack, requires_grad:", stacked.requires_grad)
print("stack, value:", stacked.detach())

array = np.sum([part.detach().numpy() for part in parts], axis=0)
summed = torch.from_numpy(array)
print("numpy, requires_grad:", summed.requires_grad)
print("numpy, value:", summed)

stacked.sum().backward()
print("stack, w.grad:", w.grad)
