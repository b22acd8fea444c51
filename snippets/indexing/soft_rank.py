import torch

wanted = torch.tensor([2.0, 0.0, 1.0])
x = torch.tensor([3.0, 1.0, 0.5], requires_grad=True)

ranks = x.argsort().argsort()
loss = (ranks - wanted).square().sum()
print("ranks:", ranks)
try:
    loss.backward()
except RuntimeError as error:
    print(error)

higher = torch.sigmoid(x.unsqueeze(1) - x.unsqueeze(0))
soft_ranks = higher.sum(dim=1) - 0.5
loss = (soft_ranks - wanted).square().sum()
loss.backward()
print("soft ranks:", soft_ranks.detach())
print("x.grad:", x.grad)
