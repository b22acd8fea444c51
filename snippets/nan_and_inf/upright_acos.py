import torch

cosine = torch.tensor(0.5, requires_grad=True)
angle = torch.acos(cosine)
angle.backward()
print("angle:", angle.item())
print("slope:", cosine.grad.item())
