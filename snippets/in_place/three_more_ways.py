import torch


def read_a_clone(w):
    h = torch.ones(4)
    for t in range(1, 4):
        h[t] = h[t - 1].clone() * w
    return h


def keep_the_last(w):
    h = torch.ones(4)
    last = h[0].clone()
    for t in range(1, 4):
        last = last * w
        h[t] = last
    return h


def new_tensor_each_time(w):
    h = torch.ones(4)
    for t in range(1, 4):
        h = torch.where(torch.arange(4) == t, h[t - 1] * w, h)
    return h


for way in (read_a_clone, keep_the_last, new_tensor_each_time):
    w = torch.tensor(2.0, requires_grad=True)
    h = way(w)
    h.sum().backward()
    print(f"{way.__name__}: {h.tolist()}, w.grad {w.grad}")
