import torch
from torch.optim import SGD, Adam, AdamW

optimizers = {
    "momentum": lambda p: SGD(p, lr=0.1, momentum=0.9),
    "weight decay": lambda p: SGD(p, lr=0.1, weight_decay=0.5),
    "Adam": lambda p: Adam(p, lr=0.1),
    "AdamW": lambda p: AdamW(p, lr=0.1, weight_decay=0.5),
}
mask = torch.tensor([1.0, 0.0])

for name, make in optimizers.items():
    w = torch.tensor([4.0, 4.0], requires_grad=True)
    w.register_hook(lambda grad: grad * mask)
    optimizer = make([w])
    for _ in range(2):
        optimizer.zero_grad()
        (3 * w).sum().backward()
        optimizer.step()
    print(f"{name}, w[1] after two steps: {w[1].item():.4f}")
