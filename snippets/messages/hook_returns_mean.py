import torch

w = torch.tensor([1.0, 3.0], requires_grad=True)
h = 2 * w
h.register_hook(lambda grad: grad.mean())
try:
    (h**2).sum().backward()
except RuntimeError as error:
    print("the mean:", error)

h = 2 * w
h.register_hook(lambda grad: grad.mean().expand_as(grad))
(h**2).sum().backward()
print("of the same shape, w.grad:", w.grad)
