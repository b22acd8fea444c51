import torch
from torch import nn

front = nn.Linear(2, 2)
part = nn.Linear(2, 2)
head = nn.Linear(2, 2)


def nothing(y):
    return part(y)


def eval_mode(y):
    part.eval()
    return part(y)


def frozen(y):
    part.requires_grad_(False)
    return part(y)


def detach(y):
    return part(y).detach()


def no_grad(y):
    with torch.no_grad():
        return part(y)


def inference_mode(y):
    with torch.inference_mode():
        return part(y)


def received(layer):
    return "no" if layer.weight.grad is None else "yes"


print("who receives a gradient?")
print("way        front  part  head")
for way in (nothing, eval_mode, frozen, detach, no_grad, inference_mode):
    for layer in (front, part, head):
        layer.train()
        layer.requires_grad_(True)
        layer.zero_grad()
    y = way(front(torch.ones(1, 2)))
    try:
        head(y).sum().backward()
    except RuntimeError as error:
        print(way.__name__, "RuntimeError:", str(error).split(".")[0])
        continue
    print(f"{way.__name__:10} {received(front):6} {received(part):5} {received(head)}")
