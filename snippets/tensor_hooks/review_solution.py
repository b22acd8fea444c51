import torch


def shrink(grad):
    return grad / 10


def log(grad):
    print("logged:", round(grad.item(), 4))


w = torch.tensor(2.0, requires_grad=True)
h = 3 * w
h.register_hook(shrink)
h.register_hook(log)
loss = h**2
loss.backward()
print("w.grad:", round(w.grad.item(), 4))

w.grad = None
handle = w.register_post_accumulate_grad_hook(lambda p: log(p.grad))
(3 * w).backward()
handle.remove()
