import torch

w = torch.tensor([1.5, 2.5], requires_grad=True)
try:
    w.data = torch.tensor([1, 2])
except RuntimeError as error:
    print("integers:", error)

with torch.no_grad():
    w.copy_(torch.tensor([1, 2]))
print("copy_, w:", w)
