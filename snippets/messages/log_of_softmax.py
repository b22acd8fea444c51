import warnings

import torch

warnings.simplefilter("ignore")
logits = torch.tensor([-200.0, 1.0, 1.0], requires_grad=True)
target = torch.tensor([0.0, 1.0, 0.0])
with torch.autograd.detect_anomaly():
    try:
        (-target * logits.softmax(0).log()).sum().backward()
    except RuntimeError as error:
        print("softmax, then log:", error)

    logits.grad = None
    (-target * logits.log_softmax(0)).sum().backward()
    print("log_softmax, logits.grad:", logits.grad.round(decimals=4))
