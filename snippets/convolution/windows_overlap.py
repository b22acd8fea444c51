import torch
import torch.nn.functional as F

x = torch.tensor([[1.0, 5.0, 2.0, 3.0]], requires_grad=True)
y, where = F.max_pool1d(x, 2, stride=1, return_indices=True)
print("largest:", y.detach()[0])
print("found at:", where[0])
y.backward(torch.tensor([[1.0, 10.0, 100.0]]))
print("x.grad:", x.grad[0])
