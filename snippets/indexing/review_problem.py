import torch

scores = torch.tensor([0.0, 0.0], requires_grad=True)
values = torch.tensor([4.0, 8.0], requires_grad=True)
chosen = values[scores.argmax()]
total = torch.zeros(2)
places = torch.tensor([1, 1])
total[places] += torch.stack([chosen, chosen])
total.sum().backward()
print("total:", total.detach())
print("values.grad:", values.grad)
print("scores.grad:", scores.grad)
