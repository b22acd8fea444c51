import torch
from torch.optim import SGD, Adam, AdamW

for optimizer_class in (SGD, Adam, AdamW):
    w = torch.tensor(2.0, requires_grad=True)
    w.grad = torch.tensor(0.0)
    optimizer_class([w], lr=0.5).step()
    print(f"{optimizer_class.__name__}, w: {w.item():.4f}")
