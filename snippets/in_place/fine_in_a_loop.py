import torch


def nothing_read(h, w, t):
    h[t] = w**t


def added(h, w, t):
    h[t] = h[t - 1] + w


def times_a_number(h, w, t):
    h[t] = h[t - 1] * 2 + w


def times_w(h, w, t):
    h[t] = h[t - 1] * w


for write in (nothing_read, added, times_a_number, times_w):
    w = torch.tensor(2.0, requires_grad=True)
    h = torch.ones(4)
    for t in range(1, 4):
        write(h, w, t)
    try:
        h.sum().backward()
        print(f"{write.__name__}: {h.tolist()}, w.grad {w.grad}")
    except RuntimeError:
        print(f"{write.__name__}: {h.tolist()}, RuntimeError")
