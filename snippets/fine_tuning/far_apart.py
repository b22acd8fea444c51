import torch
from torch.nn.functional import logsigmoid

for value in (-20.0, 0.0, 20.0):
    margin = torch.tensor(value, requires_grad=True)
    loss = -logsigmoid(0.1 * margin)
    loss.backward()
    print(f"margin {value}: loss {loss.item():.4f}, slope {margin.grad.item():.4f}")
