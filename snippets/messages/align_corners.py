import warnings

import torch
from torch.nn.functional import grid_sample

image = torch.tensor([10.0, 20.0, 40.0, 80.0]).view(1, 1, 1, 4)
place = torch.tensor([0.4, 0.0]).view(1, 1, 1, 2)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    grid_sample(image, place)
    print("not given:", str(caught[0].message).split(" since ")[0])
    caught.clear()
    for align in (True, False):
        value = grid_sample(image, place, align_corners=align).item()
        print(f"align_corners={align}: {value:.1f}, warnings: {len(caught)}")
