import torch


def train(order):
    w = torch.tensor(1.0, requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=0.25)
    calls = {
        "clear": optimizer.zero_grad,
        "back": lambda: (w**2).backward(),
        "step": optimizer.step,
    }
    for _ in range(3):
        for name in order.split():
            calls[name]()
    return w.item()


for order in ("clear back step", "back step clear", "back clear step"):
    print(f"{order}, w:", train(order))
