import torch
from torch import nn


def received(layer):
    return "no" if layer.weight.grad is None else "yes"


def run(way):
    front, part, head = nn.Linear(2, 2), nn.Linear(2, 2), nn.Linear(2, 2)
    y = front(torch.ones(1, 2))
    part.train(way != "eval")
    if way == "frozen":
        part.requires_grad_(False)
    if way == "no_grad":
        with torch.no_grad():
            y = part(y)
    elif way == "inference_mode":
        with torch.inference_mode():
            y = part(y)
    else:
        y = part(y)
    if way == "detach":
        y = y.detach()
    head(y).sum().backward()
    print(f"{way:8} {received(front):6} {received(part):5} {received(head)}")


print("way      front  part  head")
for way in ("nothing", "eval", "frozen", "detach", "no_grad", "inference_mode"):
    try:
        run(way)
    except RuntimeError as error:
        print(way, "RuntimeError:", str(error).split(".")[0])
