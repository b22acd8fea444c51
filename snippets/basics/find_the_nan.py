import warnings

import torch

warnings.simplefilter("ignore")
x = torch.tensor([0.0, 4.0], requires_grad=True)
root = x.sqrt()
root.register_hook(lambda grad: print("gradient at root:", grad))

with torch.autograd.detect_anomaly():
    try:
        torch.where(x > 0, root, 0.0).sum().backward()
    except RuntimeError as error:
        print("RuntimeError:", error)
