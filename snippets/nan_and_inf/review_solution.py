import torch
from torch.nn import functional as F
from torch.nn.utils import clip_grad_norm_

a = torch.nn.Parameter(torch.tensor([1.0, 1.0]))
b = torch.tensor([1.0, 1.0])
optimizer = torch.optim.Adam([a], lr=0.1)

distance = torch.linalg.vector_norm(a - b)
scores = a * 1
target = torch.tensor(0)
loss = distance + F.cross_entropy(scores, target)
loss.backward()
print(f"loss: {loss.item():.4f}")
print("a.grad:", a.grad.tolist())
norm = clip_grad_norm_([a], max_norm=10.0)
if norm.isfinite():
    optimizer.step()
print("a:", a.detach())
