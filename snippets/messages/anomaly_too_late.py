import warnings

import torch
from torch.autograd import set_detect_anomaly

w = torch.tensor([1.0, 4.0], requires_grad=True)
for forward in (False, True):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with set_detect_anomaly(forward):
            root = w.sqrt()
            root += 1
        with set_detect_anomaly(True):
            try:
                root.sum().backward()
            except RuntimeError:
                told = str(caught[0].message).split(" (Triggered")[0]
    print(f"forward pass {forward}:", told.strip().split("\n")[-1].strip())
