import torch
import torch.nn.functional as F

place = torch.tensor(1.25, requires_grad=True)
pixels = torch.tensor([10.0, 20.0, 40.0, 80.0], requires_grad=True)
image = pixels.view(1, 1, 1, 4)
x = 2 * place / 3 - 1
y = torch.zeros(())
grid = torch.stack([x, y]).view(1, 1, 1, 2)
value = F.grid_sample(image, grid, align_corners=True).sum()
value.backward()
print("value:", round(value.item(), 4))
print("pixels.grad:", pixels.grad)
print("place.grad:", round(place.grad.item(), 4))
