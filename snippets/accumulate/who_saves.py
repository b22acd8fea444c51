import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)

for name, step in [
    ("x + 1", lambda: x + 1),
    ("-x", lambda: -x),
    ("2 * x", lambda: 2 * x),
    ("x.exp()", lambda: x.exp()),
    ("x.relu()", lambda: x.relu()),
    ("x.mean()", lambda: x.mean()),
    ("x.max()", lambda: x.max()),
]:
    y = step().sum()
    y.backward()
    try:
        y.backward()
        print(name, "-> goes twice")
    except RuntimeError:
        print(name, "-> raises")
