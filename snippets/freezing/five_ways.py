import torch
from torch import nn


def run(way, mode=torch.enable_grad):
    layers = front, part, head = nn.ModuleList(nn.Linear(2, 2) for _ in range(3))
    part.requires_grad_(way != "frozen").train(way != "eval")
    old = part.weight.detach().clone()
    y = front(torch.ones(1, 2))
    with mode():
        y = part(y)
    y = y.detach() if way == "detach" else y
    row = [y.grad_fn is not None]
    head(y).sum().backward()
    torch.optim.SGD(layers.parameters(), lr=1).step()
    row += [layer.weight.grad is not None for layer in layers]
    row += [not torch.equal(part.weight, old)]
    print(f"{way:7}", *(f"{'yes' if word else 'no':5}" for word in row))


print("way     graph front part  head  moves")
for way in ("nothing", "eval", "frozen", "detach"):
    run(way)
run("no_grad", torch.no_grad)
try:
    run("inference_mode", torch.inference_mode)
except RuntimeError as error:
    print("inference_mode\n  RuntimeError:", str(error).split(".")[0])
