import torch

temperature = 1.0
values = torch.tensor([10.0, 20.0, 40.0])
scores = torch.tensor([1.0, 2.0, 0.0], requires_grad=True)
weights = torch.softmax(scores / temperature, dim=0)
chosen = (weights * values).sum()
chosen.backward()
print("weights:", weights.detach())
print("chosen:", chosen.detach())
print("scores.grad:", scores.grad)
