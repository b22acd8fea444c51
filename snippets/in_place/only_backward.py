import warnings

import torch

w = torch.tensor([0.5, 1.0], requires_grad=True)
gate = torch.sigmoid(w)
gate += 1

with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    with torch.autograd.set_detect_anomaly(True):
        try:
            gate.sum().backward()
        except RuntimeError as error:
            print("RuntimeError:", str(error).split(": [")[0])
print(str(caught[0].message).split(" (Triggered")[0])
