import torch
from torch.nn import functional as F

w = torch.tensor(1.0, requires_grad=True)
x = torch.tensor([-2.0, -0.5, 1.0])
labels = torch.tensor([0.0, 1.0, 1.0])
scores = w * x

hits = ((scores > 0).float() == labels).float()
print("accuracy:", round(hits.mean().item(), 4))
print("accuracy requires a gradient:", hits.requires_grad)

loss = F.binary_cross_entropy_with_logits(scores, labels)
loss.backward()
print("cross entropy:", round(loss.item(), 4))
print("w.grad:", round(w.grad.item(), 4))
