import torch

hidden = torch.tensor([[False, True], [True, True]])
values = torch.tensor([[1.0], [2.0]], requires_grad=True)
scores = torch.zeros(2, 2, requires_grad=True)
masked = scores.masked_fill(hidden, float("-inf"))
weights = torch.softmax(masked, dim=1)
out = weights @ values
out[0].sum().backward()
print("weights:", weights.tolist())
print("out:", out.flatten().tolist())
print("values.grad:", values.grad.flatten().tolist())
print("scores.grad:", scores.grad.tolist())
