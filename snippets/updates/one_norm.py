import torch
from torch.nn.utils import clip_grad_norm_, clip_grad_value_

a = torch.zeros(1, requires_grad=True)
b = torch.zeros(1, requires_grad=True)


def show(name, clip):
    a.grad, b.grad = torch.tensor([3.0]), torch.tensor([4.0])
    returned = clip()
    if returned is not None:
        print(f"{name}, returned: {returned.item()}")
    print(f"{name}, a.grad: {a.grad.item():.4f} b.grad: {b.grad.item():.4f}")


show("both", lambda: clip_grad_norm_([a, b], max_norm=1.0))
show("a alone", lambda: clip_grad_norm_([a], max_norm=1.0))
show("loose", lambda: clip_grad_norm_([a, b], max_norm=10.0))
show("value", lambda: clip_grad_value_([a, b], clip_value=3.5))
