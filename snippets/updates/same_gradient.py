import torch
from torch import optim

rows = {
    "SGD": (optim.SGD, {}),
    "momentum": (optim.SGD, {"momentum": 0.9}),
    "nesterov": (optim.SGD, {"momentum": 0.9, "nesterov": True}),
    "weight_decay": (optim.SGD, {"weight_decay": 0.5}),
    "Adagrad": (optim.Adagrad, {}),
    "RMSprop": (optim.RMSprop, {}),
    "Rprop": (optim.Rprop, {}),
    "Adamax": (optim.Adamax, {}),
    "Adam": (optim.Adam, {}),
    "AdamW": (optim.AdamW, {}),
}
for name, (optimizer_class, options) in rows.items():
    w = torch.tensor(1.0, requires_grad=True)
    optimizer = optimizer_class([w], lr=0.1, **options)
    values = []
    for _ in range(3):
        w.grad = torch.tensor(2.0)
        optimizer.step()
        values.append(f"{w.item():z7.4f}")
    print(f"{name:12}", *values)
