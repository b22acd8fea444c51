import torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
w.register_hook(lambda grad: print("hook on w:", grad))

with torch.no_grad():
    w.mul_(10)
(w**2).sum().backward()
print("w.grad:", w.grad)
