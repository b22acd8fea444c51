import torch

w = torch.tensor(1.0, requires_grad=True)
v = torch.tensor(4.0, requires_grad=True)
feature = 3 * w

feature.register_hook(lambda grad: -grad)
loss = v * feature
loss.backward()
print("v.grad:", v.grad)
print("w.grad:", w.grad)
