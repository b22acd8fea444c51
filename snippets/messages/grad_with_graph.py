import warnings

import torch

w = torch.tensor(3.0, requires_grad=True)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    (w**3).backward(create_graph=True)
    print("backward:", str(caught[0].message).split(". ")[0])
    w.grad = None
    caught.clear()
    (slope,) = torch.autograd.grad(w**3, w, create_graph=True)
    (second,) = torch.autograd.grad(slope, w)
    print("autograd.grad, second:", second, "warnings:", len(caught))
