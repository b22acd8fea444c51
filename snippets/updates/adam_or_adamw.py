import torch
from torch.optim import Adam, AdamW

for gradient in (3.0, 0.0):
    print(f"gradient {gradient}:")
    for optimizer_class in (Adam, AdamW):
        for weight_decay in (0.0, 0.25, 0.5):
            w = torch.tensor(2.0, requires_grad=True)
            optimizer = optimizer_class([w], lr=0.1, weight_decay=weight_decay)
            w.grad = torch.tensor(gradient)
            optimizer.step()
            name = optimizer_class.__name__
            print(f"  {name}, weight_decay {weight_decay}: w={w.item():.4f}")
