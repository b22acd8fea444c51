import warnings

import torch

warnings.simplefilter("ignore")


def try_out(label, f, start):
    x = torch.tensor(start, requires_grad=True)
    print(label)
    with torch.autograd.detect_anomaly():
        y = f(x)
        print("  value:", y.item())
        try:
            y.backward()
            print("  gradient:", x.grad.item())
        except RuntimeError as error:
            print("  RuntimeError:", error)


try_out("log at -1:", torch.log, -1.0)
try_out("sqrt at 0:", torch.sqrt, 0.0)
try_out("sqrt of x * x at 0:", lambda x: torch.sqrt(x * x), 0.0)
try_out("0 * log at 0:", lambda x: 0 * torch.log(x), 0.0)
