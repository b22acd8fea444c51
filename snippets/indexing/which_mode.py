import torch
import torch.nn.functional as F

place = torch.tensor(1.25, requires_grad=True)
pixels = torch.tensor([10.0, 20.0, 40.0, 80.0], requires_grad=True)

for mode in ("bilinear", "nearest"):
    place.grad = None
    pixels.grad = None
    image = pixels.view(1, 1, 1, 4)
    grid = torch.stack([2 * place / 3 - 1, torch.zeros(())])
    grid = grid.view(1, 1, 1, 2)
    value = F.grid_sample(image, grid, mode=mode, align_corners=True).sum()
    value.backward()
    print(f"{mode}: value", round(value.item(), 4))
    print("    pixels.grad:", pixels.grad)
    print("    place.grad:", round(place.grad.item(), 4))
