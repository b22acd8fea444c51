import warnings

import torch
import torch.nn.functional as F

image = torch.tensor([10.0, 20.0, 40.0, 80.0]).view(1, 1, 1, 4)
grid = torch.tensor([0.4, 0.0]).view(1, 1, 1, 2).requires_grad_()


def look(**options):
    grid.grad = None
    value = F.grid_sample(image, grid, **options).sum()
    value.backward()
    print("    value:", round(value.item(), 4))
    print("    x.grad:", round(grid.grad[0, 0, 0, 0].item(), 4))


for align_corners in (True, False):
    print(f"align_corners={align_corners}:")
    look(align_corners=align_corners)

with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    print("not given:")
    look()
print(str(caught[0].message).split(" since ")[0])
