import torch

scores = torch.zeros(4, requires_grad=True)
values = torch.tensor([7.0, 7.0, 7.0, 7.0])

shares = scores.softmax(0)
mean = (shares * values).sum()
mean.backward()
print("mean:", mean.item())
print("scores.grad:", scores.grad)
