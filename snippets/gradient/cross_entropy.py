import torch
from torch.nn import functional as F

score = 1.0
scores = torch.tensor([score, 2.0, 3.0], requires_grad=True)
loss = F.cross_entropy(scores, torch.tensor(0))
loss.backward()

print("shares:", scores.detach().softmax(0))
print("loss:", round(loss.item(), 4))
print("scores.grad:", scores.grad)
