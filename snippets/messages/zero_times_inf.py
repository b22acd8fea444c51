import warnings

import torch

warnings.simplefilter("ignore")
x = torch.tensor([0.0, 3.0], requires_grad=True)
with torch.autograd.detect_anomaly():
    try:
        (x * x).sqrt().sum().backward()
    except RuntimeError as error:
        print("sqrt(0):", error)

    x.grad = None
    root = (x * x + 1e-8).sqrt()
    root.sum().backward()
    print("sqrt(0 + 1e-8), x.grad:", x.grad)
