import torch
import torch.nn.functional as F

image = torch.zeros(1, 1, 4, 4)
image[0, 0, 0:2, 0:2] = 1.0
image[0, 0, 2:4, 2] = 1.0
image.requires_grad_()
brightness = torch.tensor([[[1.0, 1.0], [1.0, 1.0]]])
edge = torch.tensor([[[1.0, -1.0], [1.0, -1.0]]])
kernels = torch.stack([brightness, edge]).requires_grad_()
head = torch.tensor([[1.0, -2.0], [-1.0, 4.0]])

maps = F.relu(F.conv2d(image, kernels, stride=2))
maps.retain_grad()
logits = maps.mean(dim=(2, 3)) @ head.T
score = logits[0, 1]
score.backward()

weights = maps.grad.mean(dim=(2, 3))[0]
heat = weights[0] * maps[0, 0] + weights[1] * maps[0, 1]
print("weights of the maps:", weights)
print("heat map:")
print(F.relu(heat).detach())
print("gradient of the score in the image:")
print(image.grad[0, 0])
