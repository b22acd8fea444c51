import torch
import torch.nn.functional as F

image = torch.zeros(1, 1, 4, 4)
image[0, 0, 1:3, 1:3] = 1.0
image.requires_grad_()
kernel = torch.tensor([[[[1.0, -1.0], [1.0, -1.0]]]])

edges = F.relu(F.conv2d(image, kernel))
score = edges.sum()
score.backward()

print("image:")
print(image.detach()[0, 0])
print("edges that were found:")
print(edges.detach()[0, 0])
print("score:", score.item())
print("gradient of the score in the image:")
print(image.grad[0, 0])
