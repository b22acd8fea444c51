import torch
from torch.nn import functional as F

values = torch.tensor([10.0, 20.0, 40.0])
scores = torch.tensor([1.0, 2.0, 0.0], requires_grad=True)
soft = torch.softmax(scores, dim=0)
hard = F.one_hot(soft.argmax(), num_classes=3).float()
weights = hard + soft - soft.detach()
chosen = (weights * values).sum()
chosen.backward()
print("weights:", weights.detach().round(decimals=4))
print("chosen:", round(chosen.item(), 4))
print("scores.grad:", scores.grad)
