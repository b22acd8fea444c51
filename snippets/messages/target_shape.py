import warnings

import torch
from torch.nn.functional import mse_loss

prediction = torch.tensor([[1.0], [3.0]], requires_grad=True)
target = torch.tensor([1.0, 3.0])
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    loss = mse_loss(prediction, target)
    print("(2, 1) and (2,):", str(caught[0].message).split(". ")[0])
    print("loss:", loss.item())
    caught.clear()
    loss = mse_loss(prediction.squeeze(1), target)
    print("(2,) and (2,), loss:", loss.item(), "warnings:", len(caught))
