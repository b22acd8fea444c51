import torch
from torch.nn.functional import cross_entropy

x = torch.ones(2, 2)
label = torch.tensor([0, 1])

with torch.autocast("cpu", dtype=torch.bfloat16):
    y = x @ x
    results = {
        "x @ x": y,
        "x + x": x + x,
        "relu(y)": y.relu(),
        "y + x": y + x,
        "sum(y)": y.sum(),
        "softmax(y)": y.softmax(1),
        "cross_entropy(y)": cross_entropy(y, label),
        "float64 @ float64": x.double() @ x.double(),
    }

for name, result in results.items():
    print(f"{name}: {result.dtype}")
