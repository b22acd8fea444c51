import torch
from torch import nn

w = torch.tensor(2.0, requires_grad=True)
frozen = nn.Linear(1, 1).requires_grad_(False)
losses = {
    "all frozen": frozen(torch.ones(1)),
    "detach": (w * 3).detach(),
    "torch.tensor": torch.tensor((w * 3).item()),
    "argmax": torch.stack([w, w * 3]).argmax(),
    "item": (w * 3).item(),
}
with torch.no_grad():
    losses["no_grad"] = w * 3

for name, loss in losses.items():
    try:
        loss.backward()
    except (RuntimeError, AttributeError) as error:
        print(f"{name}: {type(error).__name__}: {error}")
