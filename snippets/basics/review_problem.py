import torch

image = torch.ones(3, requires_grad=True) * 0.5
weight = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)

score = (image * weight).sum()
score.backward()
print("image.is_leaf:", image.is_leaf)
print("image.grad_fn:", image.grad_fn.name())
print("weight.grad:", weight.grad)
