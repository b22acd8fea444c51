import warnings

import torch

warnings.simplefilter("ignore")
x = torch.tensor([0.0, 4.0], requires_grad=True)
with torch.autograd.detect_anomaly():
    try:
        torch.where(x > 0, x.sqrt(), 0.0).sum().backward()
    except RuntimeError as error:
        print("root of all:", error)

    x.grad = None
    safe = torch.where(x > 0, x, 1.0)
    torch.where(x > 0, safe.sqrt(), 0.0).sum().backward()
    print("root of what is used, x.grad:", x.grad)
