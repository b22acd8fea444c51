import torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
h = 3 * w
h.register_hook(lambda grad: grad.tolist())
try:
    h.sum().backward()
except TypeError as error:
    print("a list:", error)

h = 3 * w
h.register_hook(lambda grad: 10 * grad)
h.sum().backward()
print("a tensor, w.grad:", w.grad)
