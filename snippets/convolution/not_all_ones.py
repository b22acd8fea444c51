import torch
import torch.nn.functional as F

weight = torch.arange(1.0, 5.0).view(4, 1, 1, 1).requires_grad_()
image = torch.arange(25.0).view(1, 1, 5, 5).requires_grad_()
maps = F.conv2d(image, weight)

at_logits = torch.tensor([[0.25, 0.25, 1.25, 0.25]])
maps.mean(dim=(2, 3)).backward(at_logits)
print("sum of the image:", image.detach().sum())
print("weight.grad:", weight.grad.flatten())
pixel = image.grad[0, 0, 0, 0]
print("one pixel of the image:", pixel)
print("all pixels alike:", torch.allclose(image.grad, pixel))
