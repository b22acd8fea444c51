import torch


def shrink(grad):
    return grad / 10


def log(grad):
    print("logged:", grad.item())


w = torch.tensor(2.0, requires_grad=True)
h = 3 * w
h.retain_grad()
h.register_hook(log)
h.register_hook(shrink)
loss = h**2
loss.backward()
print("h.grad:", round(h.grad.item(), 4))
print("w.grad:", round(w.grad.item(), 4))
