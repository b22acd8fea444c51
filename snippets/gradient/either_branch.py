import torch


def f(w):
    if w > 0:
        return w**2
    return -5 * w


for start in (-2.0, 3.0):
    w = torch.tensor(start, requires_grad=True)
    y = f(w)
    y.backward()
    print(f"w {start}, y {y.item()}, slope {w.grad.item()}, {y.grad_fn.name()}")
