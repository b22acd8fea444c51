import torch

image = torch.full((3,), 0.5).requires_grad_()
weight = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)

score = (image * weight).sum()
score.backward()
print("image.is_leaf:", image.is_leaf)
print("image.grad:", image.grad)

with torch.no_grad():
    image[0] = 4.0
image.grad = None
(image * weight).backward(torch.tensor([1.0, 0.0, 0.0]))
print("first output only, image.grad:", image.grad)
print("weight.grad:", weight.grad)
