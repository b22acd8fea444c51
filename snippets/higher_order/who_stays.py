import gc
import warnings
import weakref

import torch


def one_round(how):
    w = torch.tensor(3.0, requires_grad=True)
    loss = w**3
    if how == "autograd.grad":
        torch.autograd.grad(loss, w, create_graph=True)
    else:
        loss.backward(create_graph=True)
    if how == "backward, then None":
        w.grad = None
    return weakref.ref(w)


with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    for how in ("backward", "backward, then None", "autograd.grad"):
        w = one_round(how)
        gc.collect()
        print(f"{how}: w still in memory:", w() is not None)
print(str(caught[0].message).split(". ")[0])
