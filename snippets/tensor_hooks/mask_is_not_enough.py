import torch
from torch import optim

optimizers = {
    "SGD": lambda p: optim.SGD(p, lr=0.1, momentum=0.9),
    "Adam": lambda p: optim.Adam(p, lr=0.1),
    "ASGD": lambda p: optim.ASGD(p, lr=0.1),
    "Muon": lambda p: optim.Muon(p, lr=0.1, weight_decay=0.0),
}
mask = torch.tensor([[1.0, 1.0], [1.0, 0.0]])

for name, make in optimizers.items():
    w = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    w.register_hook(lambda grad: grad * mask)
    optimizer = make([w])
    (w**2).sum().backward()
    print(f"{name}, last gradient: {w.grad[1, 1].item()}")
    optimizer.step()
    print(f"{name}, last element moves: {w[1, 1].item() != 4.0}")
