import torch
from torch.nn import functional as F

scores = torch.zeros(10, requires_grad=True)
loss = F.cross_entropy(scores, torch.tensor(4))
loss.backward()
print("loss:", round(loss.item(), 4))
print("slope of the right score:", round(scores.grad[4].item(), 4))
