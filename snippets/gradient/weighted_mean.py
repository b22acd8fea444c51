import torch

score = 0.0
scores = torch.tensor([0.0, 0.0, 0.0, score], requires_grad=True)
values = torch.tensor([1.0, 2.0, 3.0, 10.0], requires_grad=True)

shares = scores.softmax(0)
mean = (shares * values).sum()
mean.backward()

print("shares:", shares.detach())
print("mean:", mean.item())
print("values.grad:", values.grad)
print("scores.grad:", scores.grad)
