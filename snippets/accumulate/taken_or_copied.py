import torch


def look(name, loss, keep=False, **settings):
    w = torch.ones(2, 3, requires_grad=True)
    seen = []
    w.register_hook(lambda grad: seen.append((grad.data_ptr(), grad.stride())))
    if keep:
        kept = []
        w.register_hook(lambda grad: kept.append(grad))
    loss(w).backward(**settings)
    memory, strides = seen[0]
    same = w.grad.data_ptr() == memory
    print(f"{name}: {'taken over' if same else 'copied'}, strides {strides} -> {w.grad.stride()}")


two = torch.full((3, 2), 2.0)
look("times 2", lambda w: (2 * w).sum())
look("a hook keeps the gradient", lambda w: (2 * w).sum(), keep=True)
look("only summed", lambda w: w.sum())
look("transposed", lambda w: (two * w.T).sum())
