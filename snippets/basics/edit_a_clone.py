import torch

w = torch.ones(3, requires_grad=True)
edited = w.clone()
edited[0] = 5.0

(edited**2).sum().backward()
print("edited:", edited.detach())
print("w:", w.detach())
print("w.grad:", w.grad)
