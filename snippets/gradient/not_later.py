import torch

scores = torch.zeros(3, 3, requires_grad=True)
values = torch.tensor([2.0, 4.0, 9.0], requires_grad=True)

later = torch.ones(3, 3, dtype=torch.bool).triu(1)
shares = scores.masked_fill(later, float("-inf")).softmax(1)
means = shares @ values
means.sum().backward()

print("means:", means.detach())
print("shares:\n", shares.detach())
print("scores.grad:\n", scores.grad)
print("values.grad:", values.grad)
