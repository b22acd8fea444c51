import torch

losses = torch.tensor([1.0, 3.0])
try:
    losses.item()
except RuntimeError as error:
    print("item():", error)
print("mean().item():", losses.mean().item())
print("tolist():", losses.tolist())
