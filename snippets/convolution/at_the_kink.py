import torch
import torch.nn.functional as F

zero = torch.tensor(0.0)
functions = {
    "relu": F.relu,
    "clamp(min=0)": lambda x: x.clamp(min=0),
    "maximum(x, 0)": lambda x: torch.maximum(x, zero),
}
for name, f in functions.items():
    x = torch.tensor([-1.0, 0.0, 1.0], requires_grad=True)
    f(x).sum().backward()
    print(name, "x.grad:", x.grad)
