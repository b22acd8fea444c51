import torch
from torch import nn

w = torch.tensor(0.5, requires_grad=True)
frozen = nn.Linear(2, 1).requires_grad_(False)
trainable = [p for p in frozen.parameters() if p.requires_grad]

for name, parameters in [("w", w), ("trainable", trainable)]:
    try:
        torch.optim.SGD(parameters, lr=1)
    except (TypeError, ValueError) as error:
        print(f"SGD({name}): {type(error).__name__}: {error}")

optimizer = torch.optim.SGD([w], lr=1)
try:
    optimizer.add_param_group({"params": [w]})
except ValueError as error:
    print(f"w in a second group: {type(error).__name__}: {error}")
