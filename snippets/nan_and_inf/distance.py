import torch

gap = 0.0
eps = 0.0
a = torch.tensor([1.0, 2.0])
b = torch.tensor([1.0, 2.0 + gap], requires_grad=True)
square = (a - b).square().sum()
distance = torch.sqrt(square + eps)
distance.backward()
print("distance:", distance.item())
print("b.grad:", b.grad.tolist())
