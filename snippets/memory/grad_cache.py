import torch
from torch.nn.functional import cross_entropy

torch.manual_seed(0)
data = torch.randn(8, 4)
targets = torch.randn(8, 3)
w = torch.randn(4, 3, requires_grad=True)


def contrast(outputs, targets):
    scores = outputs @ targets.t()
    return cross_entropy(scores, torch.arange(len(scores)))


contrast(data @ w, targets).backward()
whole = w.grad
w.grad = None
for part in (slice(0, 4), slice(4, 8)):
    (contrast(data[part] @ w, targets[part]) / 2).backward()
print("accumulated, equal to the whole batch:", torch.allclose(w.grad, whole, atol=1e-6))

w.grad = None
with torch.no_grad():
    outputs = torch.cat([data[part] @ w for part in (slice(0, 4), slice(4, 8))])
outputs.requires_grad_()
contrast(outputs, targets).backward()
for part in (slice(0, 4), slice(4, 8)):
    (data[part] @ w).backward(outputs.grad[part])
print("in two runs, equal to the whole batch:", torch.allclose(w.grad, whole, atol=1e-6))
