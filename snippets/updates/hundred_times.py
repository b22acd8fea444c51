import torch
from torch import optim

for optimizer_class in (
    optim.SGD,
    optim.Adagrad,
    optim.RMSprop,
    optim.Rprop,
    optim.Adamax,
    optim.Adam,
    optim.AdamW,
):
    print(optimizer_class.__name__)
    for gradient in (2.0, 200.0):
        w = torch.tensor(1.0, requires_grad=True)
        optimizer = optimizer_class([w], lr=0.1)
        w.grad = torch.tensor(gradient)
        optimizer.step()
        print(f"  gradient {gradient}: w={w.item():.4f}")
