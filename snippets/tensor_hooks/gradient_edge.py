import weakref

import torch
from torch.autograd.graph import get_gradient_edge

w = torch.tensor(2.0, requires_grad=True)
h = 3 * w
edge = get_gradient_edge(h)
loss = (h + 1) ** 2
tensor = weakref.ref(h)
del h
print("h is freed:", tensor() is None)

(at_h,) = torch.autograd.grad(loss, edge)
print("gradient at h:", at_h.item())
(at_w,) = torch.autograd.grad(edge, w, at_h)
print("from h to w:", at_w.item())
