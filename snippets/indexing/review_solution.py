import torch

scores = torch.tensor([0.0, 0.0], requires_grad=True)
values = torch.tensor([4.0, 8.0], requires_grad=True)
weights = torch.softmax(scores, dim=0)
chosen = (weights * values).sum()
total = torch.zeros(2)
places = torch.tensor([1, 1])
shares = torch.stack([chosen, chosen])
total = total.index_add(0, places, shares)
total.sum().backward()
print("total:", total.detach())
print("values.grad:", values.grad)
print("scores.grad:", scores.grad)
