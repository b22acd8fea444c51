import torch

w = torch.tensor([1.0, 3.0], requires_grad=True)
h = 2 * w
h.register_hook(lambda grad: grad.double() / 3)
try:
    h.sum().backward()
except RuntimeError as error:
    print("float64:", error)

h = 2 * w
h.register_hook(lambda grad: (grad.double() / 3).to(grad.dtype))
h.sum().backward()
print("float32 again, w.grad:", w.grad)
