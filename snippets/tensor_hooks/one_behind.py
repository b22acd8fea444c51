from functools import partial

import torch

layers = {
    "first": torch.tensor(2.0, requires_grad=True),
    "second": torch.tensor(3.0, requires_grad=True),
    "third": torch.tensor(4.0, requires_grad=True),
}


def written():
    return [name for name, w in layers.items() if w.grad is not None]


def look(name, grad):
    print(f"hook of {name} sees:", written())


for name, w in layers.items():
    w.register_hook(partial(look, name))

hidden = torch.tensor(1.0)
for w in layers.values():
    hidden = hidden * w
hidden.backward()
print("after backward:", written())
