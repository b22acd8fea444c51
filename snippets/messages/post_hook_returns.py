import torch

w = torch.tensor(2.0, requires_grad=True)
handle = w.register_post_accumulate_grad_hook(lambda p: 10 * p.grad)
try:
    (3 * w).backward()
except RuntimeError as error:
    print("returned:", error)


def ten_times(p):
    p.grad *= 10


handle.remove()
w.grad = None
w.register_post_accumulate_grad_hook(ten_times)
(3 * w).backward()
print("changed in place, w.grad:", w.grad)
