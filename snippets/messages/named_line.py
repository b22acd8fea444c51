import warnings

import torch

w = torch.tensor([1.0, 4.0], requires_grad=True)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    with torch.autograd.set_detect_anomaly(True):
        root = w.sqrt()
        root += 1
        try:
            root.sum().backward()
        except RuntimeError:
            told = str(caught[0].message).split(" (Triggered")[0].strip()
            print("warning:", told.split("\n")[0])
            print("the line:", told.split("\n")[-1].strip())

root = w.sqrt()
root = root + 1
root.sum().backward()
print("root = root + 1, w.grad:", w.grad)
