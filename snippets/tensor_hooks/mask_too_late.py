import torch
from torch.optim import SGD, Adam

optimizers = {
    "SGD": lambda p: SGD(p, lr=0.1),
    "momentum": lambda p: SGD(p, lr=0.1, momentum=0.9),
    "weight decay": lambda p: SGD(p, lr=0.1, weight_decay=0.5),
    "Adam": lambda p: Adam(p, lr=0.1),
}
mask = torch.tensor([1.0, 0.0])

for name, make in optimizers.items():
    w = torch.tensor([4.0, 4.0], requires_grad=True)
    optimizer = make([w])
    for step in range(2):
        if step == 1:
            before = w[1].item()
            w.register_hook(lambda grad: grad * mask)
        optimizer.zero_grad()
        (3 * w).sum().backward()
        optimizer.step()
    print(f"{name}, masked w[1] moves by {w[1].item() - before:.4f}")
