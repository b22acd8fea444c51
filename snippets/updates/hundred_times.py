import torch
from torch import optim

rows = {
    "SGD": (optim.SGD, {}),
    "momentum": (optim.SGD, {"momentum": 0.9}),
    "weight_decay": (optim.SGD, {"weight_decay": 0.5}),
    "Adagrad": (optim.Adagrad, {}),
    "RMSprop": (optim.RMSprop, {}),
    "Rprop": (optim.Rprop, {}),
    "Adamax": (optim.Adamax, {}),
    "Adam": (optim.Adam, {}),
    "AdamW": (optim.AdamW, {}),
}
for name, (optimizer_class, options) in rows.items():
    print(name)
    for gradient in (2.0, 200.0):
        w = torch.tensor(1.0, requires_grad=True)
        optimizer = optimizer_class([w], lr=0.1, **options)
        w.grad = torch.tensor(gradient)
        optimizer.step()
        print(f"  gradient {gradient}: w={w.item():z.4f}")
