import warnings

import torch

warnings.simplefilter("ignore")
p = torch.tensor([0.0, 0.5, 0.5], requires_grad=True)
target = torch.tensor([0.0, 1.0, 0.0])
with torch.autograd.detect_anomaly():
    try:
        (-target * p.log()).sum().backward()
    except RuntimeError as error:
        print("p.log():", error)

p.grad = None
(-target * p.clamp(min=1e-8).log()).sum().backward()
print("p.clamp(min=1e-8).log(), p.grad[1]:", p.grad[1])
logits = torch.tensor([-200.0, 1.0, 1.0], requires_grad=True)
(-target * logits.log_softmax(0)).sum().backward()
print("log_softmax, logits.grad[1]:", logits.grad[1])
